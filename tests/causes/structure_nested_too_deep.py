"""The recursion has an end, but the data is nested deeper than Python goes."""
# expect: recursion-too-deep PROVEN
# ending: 1


class Node:
    def __init__(self, below: "Node | None") -> None:
        self.below = below

    def depth(self) -> int:
        if self.below is None:
            return 1
        return 1 + self.below.depth()  # <- here


def run(count: int) -> None:
    top: Node | None = None
    for _ in range(count):
        top = Node(top)
    print(top.depth() if top else 0)


def die() -> None:
    run(5000)


def spare() -> None:
    run(50)
