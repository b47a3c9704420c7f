"""Any command that writes its answer as JSON: `{"cause": "memory-limit-reached", "line": 12}` into the file $DEATHS_ANSWER.

For a tool without an adapter of its own: `score.py --wrap "mytool --flags"`. Both values may be null or left out; no file
means no answer. It is not among the tools that are run without being asked for.
"""

from __future__ import annotations

import json
from pathlib import Path

from tool import Answer, Ended, Tool

FILE = "answer.json"


class Adapter(Tool):
    def environment(self, folder: Path) -> dict[str, str]:
        return {"DEATHS_ANSWER": str(folder / FILE)}

    def answer(self, ended: Ended) -> Answer:
        path = ended.folder / FILE
        if not path.exists():
            return Answer()
        told = json.loads(path.read_text())
        return Answer(told.get("cause"), told.get("line"))
