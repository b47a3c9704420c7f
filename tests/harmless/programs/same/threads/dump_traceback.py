# same-on: 3.13t
# documented: stderr: the recorder's thread is in a dump of all threads
"""faulthandler's dump of all threads."""

import faulthandler
import time

time.sleep(0.3)
faulthandler.dump_traceback(all_threads=True)
