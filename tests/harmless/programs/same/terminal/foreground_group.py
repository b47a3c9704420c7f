# terminal: job
"""Who is in the foreground."""

import os

print(os.tcgetpgrp(0) == os.getpgrp(), os.getpgrp() == os.getsid(0))
