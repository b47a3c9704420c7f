"""Without any configuration."""

import logging

logging.getLogger("mine").warning("said")
logging.getLogger("mine").info("not said")
print(logging.lastResort is not None)
