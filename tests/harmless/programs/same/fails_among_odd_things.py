"""An exception passes through a function whose values would notice being looked at; one of them is made to tell at the end."""

import atexit
import pathlib

asked = []


class Odd:
    def __getattribute__(self, name):
        asked.append(name)
        raise SystemError(name)

    def __str__(self):
        asked.append("str")
        return ""

    def __len__(self):
        asked.append("len")
        return 3

    def __eq__(self, other):
        asked.append("eq")
        return True

    __hash__ = object.__hash__


class Text(str):
    def __len__(self):
        asked.append("length of a text")
        return 2


class Path(type(pathlib.Path())):
    def __str__(self):
        asked.append("text of a path")
        return "path"


class Rows(list):
    def __getitem__(self, index):
        asked.append("element")
        return 1


def fail():
    odd, text, path, rows = Odd(), Text("a/b.png"), Path("q"), Rows([1, 2])
    many = list(range(500_000))
    del asked[:]
    if many:
        raise FileNotFoundError(2, "No such file or directory", "c.png")
    print(odd, text, path, rows)


atexit.register(lambda: print("asked for", asked, flush=True))
fail()
