"""Two functions that call each other without an end."""
# expect: recursion-too-deep PROVEN
# ending: 1


def even(number: int) -> bool:
    return number == 0 or odd(number - 1)  # <- here


def odd(number: int) -> bool:
    return number != 0 and even(number - 1)  # <- here


def die() -> None:
    print(even(-1))


def spare() -> None:
    print(even(20))
