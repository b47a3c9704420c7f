"""No secret, and no piece of one, is in anything that Outlive says, sends or leaves: every shape, every place, every output."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_secrets import fakes
from leaking_programs import PLACES, Leaks
from other_secret_detectors import seen_by_others

pytestmark = pytest.mark.death


@pytest.mark.parametrize("place", [*PLACES, "source"])
def test_no_secret_is_in_any_output(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    told = Leaks(tmp_path, fakes(seed=len(place)))

    told.run(place)
    told.ask()

    assert "it.py" in told.outputs["why"]
    assert [] == told.leaks()
    assert [] == seen_by_others([*told.outputs.values(), *(text for _, text in told.files())])


def test_other_detectors_would_see_what_is_not_masked() -> None:
    seen = {fake.shape for fake in fakes(seed=1) if seen_by_others([fake.text])}

    assert {
        "aws-id",
        "github-pat",
        "gitlab",
        "jwt",
        "openai",
        "pem-rsa",
        "slack-bot",
        "stripe",
        "telegram",
        "url-login",
    } <= seen
