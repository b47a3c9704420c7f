"""``outlive.predict`` in actors, with a function that one of its inputs kills.

python ray_predict.py ray:ADDRESS
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Sequence

import outlive


def double(numbers: Sequence[int]) -> list[int]:
    if 17 in numbers:
        ctypes.string_at(0)
    return [2 * number for number in numbers]


def main(on: str) -> None:
    found = list(outlive.predict("ray_predict:double", range(60), on=on))
    values = {one.index: one.value for one in found if one.good}
    causes = {one.index: one.verdict and one.verdict.cause and one.verdict.cause.slug for one in found if not one.good}  # fmt: skip
    print(json.dumps({"values": values, "causes": causes}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
