"""Merging pairs of a tokenizer in pure Python takes longer than the CPU time of the job."""
# expect: cpu-time-limit
# cpu: 4 4

import collections
import random


def words(count):
    rng = random.Random(1)
    letters = "etaoinshrdlu"
    return [[rng.choice(letters) for _ in range(rng.randint(3, 12))] for _ in range(count)]


class BytePairs:
    def __init__(self, merges):
        self.merges = merges
        self.rules = []

    def pairs(self, corpus):
        counts = collections.Counter()
        for word in corpus:
            counts.update(zip(word, word[1:]))  # <- here
        return counts

    def merge(self, word, pair):
        out = []
        for piece in word:  # <- here
            if out and (out[-1], piece) == pair:  # <- here
                out[-1] += piece  # <- here
            else:
                out.append(piece)  # <- here
        return out

    def train(self, corpus):
        for _ in range(self.merges):
            pair, _ = self.pairs(corpus).most_common(1)[0]  # <- here
            self.rules.append(pair)
            corpus = [self.merge(word, pair) for word in corpus]  # <- here
        return self.rules


print(len(BytePairs(2000).train(words(60_000))))  # <- here
