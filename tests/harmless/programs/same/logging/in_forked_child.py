"""A logger in a forked child."""

import logging
import os

logging.basicConfig(format="%(message)s")
child = os.fork()
if child == 0:
    logging.warning("in the child")
    os._exit(0)
os.waitpid(child, 0)
logging.warning("in the parent")
