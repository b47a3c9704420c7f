"""An exception from a library call, two of the user's functions deep, with a cause."""
# expect: uncaught-exception PROVEN
# example: yes
# ending: 1

import json


def parse(text: str) -> dict:
    try:
        return json.loads(text)
    except ValueError as error:
        raise LookupError("the settings are broken") from error  # <- here


def die() -> None:
    parse("{")


def spare() -> None:
    try:
        parse("{")
    except LookupError:
        parse("{}")
