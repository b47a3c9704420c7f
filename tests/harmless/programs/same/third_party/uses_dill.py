# needs: module dill
"""dill pickles functions, modules and classes of a program."""

import os
import subprocess
import sys
import dill

offset = 5
made = dill.loads(dill.dumps(lambda n: n + offset))
print(
    made(3),
    dill.loads(dill.dumps(sys.exit)) is sys.exit,
    dill.loads(dill.dumps(os.kill)) is os.kill,
    dill.loads(dill.dumps(subprocess.Popen)) is subprocess.Popen,
)
