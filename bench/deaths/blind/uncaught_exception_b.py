"""The split of a small class comes out empty, and its own check raises an exception of its own."""
# expect: uncaught-exception

import dataclasses
import random


class EmptySplit(Exception):
    pass


@dataclasses.dataclass
class Sample:
    name: str
    label: str


class Splitter:
    def __init__(self, share, seed):
        self.share = share
        self.rng = random.Random(seed)

    def split(self, samples):
        for label in sorted({s.label for s in samples}):
            group = [s for s in samples if s.label == label]
            self.rng.shuffle(group)
            cut = int(len(group) * self.share)
            if cut == 0:
                raise EmptySplit(f"class {label!r} has {len(group)} samples, none for the test set")  # <- here
            yield label, group[cut:], group[:cut]


def load():
    counts = {"cat": 40, "dog": 55, "emu": 3}
    return [Sample(f"{label}_{n}", label) for label, count in counts.items() for n in range(count)]


for label, train, test in Splitter(0.2, seed=1).split(load()):
    print(label, len(train), len(test))
