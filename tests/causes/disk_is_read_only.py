"""A file system that cannot be written is not a full one."""
# expect: uncaught-exception PROVEN
# ending: 1
# disk: size=4m,ro


def save(path: str) -> None:
    with open(path, "w") as file:  # <- here
        file.write("results")


def die() -> None:
    save("disk/results.txt")


def spare() -> None:
    save("results.txt")
