"""Loggers of one's own, with and without a cache of levels, used while errors are handled in threads."""

import logging
import threading


class Own(logging.Logger):
    def isEnabledFor(self, level):
        print("asked", level, sorted(self._cache))
        return super().isEnabledFor(level)


class Bare(logging.Logger):
    def __init__(self, name):
        self.name = name


logging.setLoggerClass(Own)
own = logging.getLogger("own")
own.setLevel(logging.WARNING)
own.debug("nothing")
own.setLevel(logging.DEBUG)
own.addHandler(logging.NullHandler())


def fails():
    try:
        [][0]
    except IndexError as error:
        own.debug("lost", exc_info=True)
        own._cache.clear()
        print(type(error).__name__, error.__traceback__.tb_next)


thread = threading.Thread(target=fails)
thread.start()
thread.join()
print(sorted(vars(own)))
for use in (lambda: Bare("b")._cache, lambda: delattr(Bare("b"), "_cache")):
    try:
        use()
    except AttributeError as error:
        print("no cache", type(error).__name__)
del own._cache
print(hasattr(own, "_cache"))
