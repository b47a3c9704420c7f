"""The last gate: no part of the evidence keeps what another part had to hide."""

from __future__ import annotations

import pickle

from made_evidence import evidence
from outlive.coroner.mask_verdict import hidden
from outlive.model.events import Thrown

SECRET = "AKIAIOSFODNN7EXAMPLE"


def test_a_secret_in_one_part_is_hidden_from_those_that_rest_on_it() -> None:
    error = Thrown("ValueError", f"key {SECRET}")
    view = evidence(1, log=f"signing with {SECRET}", thrown=(error,))

    found = hidden(view)

    assert SECRET.encode() in pickle.dumps(view)
    assert SECRET.encode() not in pickle.dumps(found)
    assert found.memory.run is found.run and found.memory.errors is found.errors


def test_evidence_without_a_secret_is_handed_back_as_it_is() -> None:
    view = evidence(1, log="a plain line")

    assert hidden(view) is view
