"""`outlive compare`: read two runs, say what is different."""

from __future__ import annotations

import json
import os
import sys
import time

from outlive.judging import judge
from outlive.record.reading import read_run, start_of
from outlive.report.comparison import Told, compare, differ, to_data, view
from outlive.showing import console_on
from outlive.stored import stored_verdict


def told(folder: str) -> Told:
    """A run, judged as it was when it ended."""
    payloads, rings = read_run(folder)
    verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    began = start_of(payloads).get("time")
    return Told(
        stored_verdict(folder) or verdict,
        evidence,
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(began)) if began else "",
    )


def show_comparison(first: Told, second: Told, as_json: bool) -> bool:
    """Print it; whether anything but measured figures differs."""
    if as_json:
        print(json.dumps(to_data(first, second)))
    else:
        console = console_on(sys.stdout)
        with console.capture() as captured:
            console.print(view(first, second))
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))
    return differ(compare(first, second))
