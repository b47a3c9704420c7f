# status: 1
"""An exception that is no Exception."""


class Odd(BaseException):
    pass


raise Odd("below BaseException")
