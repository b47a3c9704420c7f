"""A file that is not there, told by an exception of the program's own; an earlier one was handled and is not to blame."""
# expect: missing-file PROVEN
# ending: 1

from pathlib import Path


class SettingsError(Exception):
    pass


def read(path: Path) -> str:
    try:
        return path.read_text()  # <- here
    except OSError as error:
        raise SettingsError("cannot start without settings") from error


def run(name: str) -> None:
    Path("settings.toml").write_text("a = 1")
    try:
        Path("cache").read_text()
    except FileNotFoundError:
        print("no cache yet")
    print(read(Path(name)))


def die() -> None:
    run("config/settings.toml")


def spare() -> None:
    run("settings.toml")
