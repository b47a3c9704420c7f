"""``python -m outlive.jupyter.ipykernel_launcher [--within FOLDER] [--tell NUMBER] [--brake on] [--foresee on] -- COMMAND…``: a kernel with its supervisor.

The name is for VS Code, which prepares the environment only of kernels whose module is called like this one.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> None:
    """Run the kernel under its supervisor; if that cannot be had, run the kernel."""
    options, command = _split(list(arguments))
    from outlive.recorder.import_path import look_only_at_what_is_installed

    look_only_at_what_is_installed()
    try:
        tell = int(options["--tell"]) if "--tell" in options else None
        if tell is not None:
            os.set_inheritable(tell, False)
        from outlive.jupyter.wrapper import run

        run(command, options.get("--within"), tell, "--brake" in options, "--foresee" in options)
    except Exception as error:
        os.write(2, f"outlive: this kernel is not watched: {error}\n".encode())
        os.execvp(command[0], command)


def _split(words: list[str]) -> tuple[dict[str, str], list[str]]:
    at = words.index("--")
    return dict(zip(words[:at:2], words[1:at:2], strict=False)), words[at + 1 :]


if __name__ == "__main__":
    main(sys.argv[1:])
