"""Every shape alone, in every place, in every output: what hides one secret must not rest on another beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fake_secrets import SERVICES, SHAPES, fakes
from leaking_programs import PLACES, Leaks

pytestmark = [pytest.mark.death, pytest.mark.harmless]


@pytest.mark.parametrize("place", [*PLACES, "source"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_alone_is_in_no_output(
    shape: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Any
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    told = Leaks(tmp_path, fakes(seed=len(place), names=[shape]))

    told.run(place)
    told.ask(everything=True)

    leaks = told.leaks()
    shared = any(name.startswith("shared.zip") or "--share" in name for name, _ in leaks)
    counts = {
        "shapes × places": 1,
        "of well-known services": int(shape in SERVICES),
        "with a piece of it anywhere": int(bool(leaks)),
        "with --share": int(shared),
    }
    record_property("part", ["secrets", counts])
    assert [] == leaks
