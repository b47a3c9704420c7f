"""A method stores each result on the object; the limit that is met belongs to the group around the program."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 200


class Collector:
    def __init__(self) -> None:
        self.parts: dict[int, bytes] = {}

    def collect(self, number: int) -> None:
        self.parts[number] = b"%d" % number * 500_000  # <- here


def run(count: int) -> None:
    collector = Collector()
    for number in range(count):
        collector.collect(number)  # <- here


def die() -> None:
    run(2000)


def spare() -> None:
    run(30)
