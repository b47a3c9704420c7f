# status: 1
"""An exception whose class, and whose class's class, answer for attributes themselves, and say so each time."""


class Kind(type):
    def __getattribute__(cls, name):
        print("class asked for", name)
        return super().__getattribute__(name)


class Own(Exception, metaclass=Kind):
    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)


class OwnNumber(OSError):
    @property
    def errno(self):
        print("asked for its number")
        return 28

    @property
    def filename(self):
        print("asked for its file")
        return "file"


try:
    raise OwnNumber(2, "no such thing")
except OwnNumber as error:
    raise Own("with words") from error
