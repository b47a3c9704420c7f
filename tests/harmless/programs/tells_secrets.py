"""Print, write and raise secrets that stand in the arguments and in the environment: ``tells_secrets.py HOW …``."""

import concurrent.futures
import multiprocessing
import os
import signal
import sys
import threading

SECRETS = [*sys.argv[1:], os.environ["API_KEY"], os.environ["DATABASE_URL"], os.environ["MY_TOKEN"]]
WORDS = " and ".join(SECRETS)


def fail():
    raise ValueError("no entry with " + WORDS)


def tell(how):
    print("out:", WORDS, flush=True)
    print("err:", WORDS, file=sys.stderr, flush=True)
    if how == "wait":
        sys.stdin.readline()
    if how in ("raise", "wait"):
        fail()
    if how == "exit":
        sys.exit("ended with " + WORDS)
    if how == "thread":
        thread = threading.Thread(target=fail, name=WORDS)
        thread.start()
        thread.join()
    if how == "future":
        concurrent.futures.ThreadPoolExecutor(1).submit(fail).exception()
    if how == "worker":
        worker = multiprocessing.get_context("fork").Process(target=fail, name=WORDS)
        worker.start()
        worker.join()
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "note":
        error = ValueError("with a note")
        error.__notes__ = [WORDS]
        raise error from KeyError(WORDS)
    sys.exit(3)


if __name__ == "__main__":
    tell(os.environ["HOW"])
