"""A recorded run as it is compared: what was said of it when it ended, and all that is known of it."""

from __future__ import annotations

import os
import time

from outlive.coroner.judge import judge
from outlive.coroner.stored_verdict import stored_verdict
from outlive.recorder.store.read_run import read_run, start_of
from outlive.report.comparison import Told


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
