"""``python -m outlive.report.telemetry``: what `outlive run --otel` starts when the run is over."""

from __future__ import annotations

import sys

from outlive.recorder.import_path import look_only_at_what_is_installed

if __name__ == "__main__":
    look_only_at_what_is_installed()
    from outlive.report.telemetry.send import main

    sys.exit(main())
