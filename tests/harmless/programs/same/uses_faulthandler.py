"""The program's own use of faulthandler."""

import faulthandler
import os

print(faulthandler.is_enabled())
with open("traces", "w+") as file:
    print(
        faulthandler.enable(file),
        faulthandler.is_enabled(),
        faulthandler.disable(),
        faulthandler.is_enabled(),
    )
    print(faulthandler.disable())
    faulthandler.dump_traceback(file, all_threads=False)
    faulthandler.dump_traceback_later(1000, file=file)
    faulthandler.cancel_dump_traceback_later()
print(
    faulthandler.enable(), faulthandler.is_enabled(), os.fork.__name__, faulthandler.enable.__name__
)
