"""`make confusion`: every victim dies once; every cause is asked about it. Rows are victims, columns what was found."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from deaths import play, victims


def main() -> int:
    wrong = 0
    for victim in victims():
        with tempfile.TemporaryDirectory() as folder:
            verdict = play(victim, "die", Path(folder)).verdict
        found = [verdict["cause"], *verdict["also"]] if verdict["cause"] else []
        told = ", ".join(f"{finding['slug']} ({finding['confidence']})" for finding in found)
        right = (found[0]["slug"] if found else "nothing") == victim.expected[0]
        wrong += not right
        print(f"{'ok ' if right else 'NOT'}  {victim.name:<34} {told or 'nothing'}", flush=True)
    print(f"\n{wrong} of {len(victims())} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
