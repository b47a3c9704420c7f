"""The command line: parse, call, print, exit status."""

from __future__ import annotations

import sys

from outlive.errors import OutliveError
from outlive.recorder.import_path import look_only_at_what_is_installed

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. The only place where an error of ours becomes text and a status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    look_only_at_what_is_installed()
    try:
        if arguments[:1] == ["run"] and not {"--help", "-h"} & set(arguments[1:2]):
            from outlive.cli.run_program.run import run

            return run(arguments[1:])
        from outlive.cli.command_line import run_command_line

        return run_command_line(arguments)
    except OutliveError as error:
        from outlive.report.text import shown

        print(f"outlive: {shown(error.message)}", file=sys.stderr)
        if error.help:
            print(f"         {shown(error.help)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        return 0  # the reader of our output (a pager, head) has seen enough
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
