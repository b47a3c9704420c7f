"""pydoc's text of the functions that are wrapped."""

import os
import pydoc
import signal
import sys

for function in (os.kill, sys.exit, signal.alarm):
    print(pydoc.render_doc(function, renderer=pydoc.plaintext).splitlines()[0:3])
