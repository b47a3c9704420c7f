"""The root logger has no handler, and warnings go to stderr."""

import logging

print(
    logging.getLogger().handlers,
    logging.getLogger().level,
    sorted(name for name in logging.Logger.manager.loggerDict if "outlive" in name),
)
logging.warning("a warning")
logging.getLogger("mine").error("an error", exc_info=ValueError("x"))
