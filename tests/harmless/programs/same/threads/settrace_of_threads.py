"""A tracer for threads sees the program's threads alone."""

import os
import threading
import time

files = set()


def note(frame, event, argument):
    files.add(os.path.basename(frame.f_code.co_filename))


threading.settrace(note)
threading.setprofile(note)
thread = threading.Thread(target=time.sleep, args=(0.3,))
thread.start()
thread.join()
threading.settrace(None)
threading.setprofile(None)
print(sorted(files))
