"""A class whose __getattr__ asks for an attribute that it does not have, in the constructor of a loader."""
# expect: recursion-too-deep PROVEN
# ending: 1


class Wrapped:
    def __init__(self, inner: list[int], complete: bool) -> None:
        if complete:
            self.inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)  # <- here


def die() -> None:
    print(Wrapped([3, 4], False).count(3))


def spare() -> None:
    print(Wrapped([3, 4], True).count(3))
