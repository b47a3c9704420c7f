"""Pure Python that never lets go of the interpreter: calls, objects, dictionaries, strings."""

from timing import scaled, timed_loop


class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y

    def moved(self, by: int) -> "Point":
        return Point(self.x + by, self.y - by)


def walk(steps: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    point = Point(0, 0)
    for step in range(steps):
        point = point.moved(step % 7)
        key = f"{point.x % 101}:{point.y % 103}"
        seen[key] = seen.get(key, 0) + 1
    return seen


with timed_loop():
    walk(scaled(4_500_000))
