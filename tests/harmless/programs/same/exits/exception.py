# status: 1
"""An ordinary traceback through three functions."""


def a(number):
    return b(number) + 1


def b(number):
    return c(number) + 1


def c(number):
    return {}[number]


a(3)
