"""Source and file of functions that are wrapped."""

import concurrent.futures
import inspect
import multiprocessing.process
import subprocess
import traceback

for thing in (
    subprocess.Popen.wait,
    subprocess.Popen.poll,
    subprocess.Popen.__init__,
    traceback.TracebackException.__init__,
    concurrent.futures.Future.set_exception,
    multiprocessing.process.BaseProcess.start,
):
    print(
        thing.__qualname__,
        inspect.getsourcefile(thing).rpartition("/")[2],
        inspect.getsource(thing).splitlines()[0].strip(),
        thing.__code__.co_name,
    )
