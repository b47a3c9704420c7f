"""Warnings through the log."""

import logging
import warnings

logging.captureWarnings(True)
logging.basicConfig(format="%(name)s %(levelname)s")
warnings.warn("through the log")
