"""A generator that waits is closed at the end of the program."""


def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("closed", flush=True)


kept = numbers()
print(next(kept))
