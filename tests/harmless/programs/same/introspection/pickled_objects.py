"""Objects of the library that are wrapped can be pickled as before."""

import pickle
import subprocess
import traceback

done = subprocess.CompletedProcess(["x"], 3)
print(
    pickle.loads(pickle.dumps(done)),
    pickle.loads(pickle.dumps(subprocess.Popen)) is subprocess.Popen,
    pickle.loads(pickle.dumps(traceback.TracebackException)) is traceback.TracebackException,
)
