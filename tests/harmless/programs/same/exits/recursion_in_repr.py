# status: 1
"""An exception whose argument prints itself without end."""


class Odd:
    def __repr__(self):
        return repr(self)


raise ValueError(Odd())
