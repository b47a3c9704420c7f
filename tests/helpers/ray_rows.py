"""A pipeline of Ray Data in which one row segfaults and one raises, guarded: a class and a function.

python ray_rows.py ADDRESS
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any

import outlive


class Doubles:
    def __init__(self, factor: int) -> None:
        self._factor = factor

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        if 7 in batch["id"]:
            ctypes.string_at(0)
        if 23 in batch["id"]:
            raise ValueError("this one is bad")
        return {"id": batch["id"], "double": batch["id"] * self._factor}


def double(batch: Mapping[str, Any]) -> dict[str, Any]:
    return Doubles(2)(batch)


def main(address: str) -> None:
    ray: Any = importlib.import_module("ray")
    data: Any = importlib.import_module("ray.data")
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    data.DataContext.get_current().enable_progress_bars = False
    rows = data.range(40, override_num_blocks=2)
    by_class = rows.map_batches(
        outlive.ray.guard(Doubles),
        fn_constructor_args=(2,),
        concurrency=1,
        batch_size=10,
        num_cpus=0.25,
    )
    by_function = rows.map_batches(outlive.ray.guard(double), batch_size=10, num_cpus=0.25)
    told = {"class": by_class.take_all(), "function": by_function.take_all()}
    print(json.dumps(told, default=int), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
