"""A generator that yields while it is closed."""


def stubborn():
    try:
        yield 1
    finally:
        yield 2


kept = stubborn()
next(kept)
try:
    kept.close()
except RuntimeError as error:
    print(error)
