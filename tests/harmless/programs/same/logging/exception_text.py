"""logging.exception prints the trace."""

import logging

logging.basicConfig(format="%(levelname)s %(message)s")
try:
    {}["x"]
except KeyError:
    logging.exception("it failed")
