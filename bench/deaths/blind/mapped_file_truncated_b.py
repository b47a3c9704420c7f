"""A log rotation empties the token file that is mapped; the search for document ends runs into the void."""
# expect: mapped-file-truncated

import mmap
import subprocess


def write_tokens(path, documents):
    with open(path, "wb") as f:
        for n in range(documents):
            f.write(b"token " * 200 + b"%d\n" % n)


class Corpus:
    def __init__(self, path):
        self.file = open(path, "rb")  # noqa: SIM115
        self.map = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def documents(self):
        start = 0
        while (end := self.map.find(b"\n", start)) >= 0:  # <- here
            yield self.map[start:end]  # <- here
            start = end + 1


def rotate(path):
    subprocess.run(["sh", "-c", f"cp {path} {path}.1 && : > {path}"], check=True)  # <- here


def count_words(path):
    words = 0
    for number, document in enumerate(Corpus(path).documents()):
        words += document.count(b" ")
        if number == 700:
            rotate(path)  # <- here
    return words


write_tokens("corpus.txt", 3000)
print("words", count_words("corpus.txt"))
