"""Handlers are flushed at exit after the program's functions."""

import atexit
import logging
import logging.handlers

memory = logging.handlers.MemoryHandler(100, target=logging.StreamHandler())
logging.getLogger().addHandler(memory)
atexit.register(logging.getLogger().warning, "at exit")
logging.getLogger().warning("before")
