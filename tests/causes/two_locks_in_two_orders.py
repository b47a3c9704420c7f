"""Two accounts, two locks, two transfers in opposite directions: each thread holds what the other one wants."""
# expect: deadlocked PROVEN
# ending: hang
# hang_after: 2

import threading


class Account:
    def __init__(self) -> None:
        self.guard = threading.Lock()


class Transfer:
    def __init__(self, both_hold_one: threading.Barrier) -> None:
        self.both_hold_one = both_hold_one

    def move(self, giver: Account, taker: Account) -> None:
        with giver.guard:
            self.both_hold_one.wait()
            with taker.guard:  # <- here
                pass


def run(parties: int) -> None:
    left, right = Account(), Account()
    transfer = Transfer(threading.Barrier(parties))
    other = threading.Thread(target=transfer.move, args=(left, right), name="other way")
    other.start()
    if parties == 1:
        other.join()
    transfer.move(right, left)
    other.join()


def die() -> None:
    run(2)


def spare() -> None:
    run(1)
