"""Millions of small tokens are made and nearly all dropped; the few that are kept pin the pools they lie in."""
# expect: fragmented-heap
# memory: 600

import collections

import numpy as np

Token = collections.namedtuple("Token", "text start end")


def tokenise(documents, length):
    start = 0
    for d in range(documents):
        for k in range(length):
            text = f"w{d}_{k}"
            yield Token(text, start, start + len(text))
            start += len(text) + 1


def anchors(tokens, every):
    return {t.text: t for n, t in enumerate(tokens) if n % every == 0}  # <- here


def main():
    tokens = list(tokenise(2000, 1000))
    print("tokens", len(tokens))
    kept = anchors(tokens, every=40)  # <- here
    del tokens
    print("kept", len(kept))
    vectors = np.empty((100_000, 900), np.float32)
    for row in range(0, len(vectors), 1000):
        vectors[row : row + 1000] = row
    print("vectors", vectors.nbytes >> 20, "MB", vectors.mean())


main()
