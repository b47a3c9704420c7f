"""Session and group are not the program's own."""

import os

print(os.getsid(0) != os.getpid(), os.getpgrp() == os.getpgid(0), os.getpgrp() == os.getsid(0))
