"""Says that it is ready, then works for a minute."""

import os
import time

os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
time.sleep(60)
