"""Names of functions and lines in records."""

import logging

logging.basicConfig(
    format="%(funcName)s %(lineno)d %(filename)s %(threadName)s %(processName)s", level=0
)


def work():
    logging.info("x")


work()
