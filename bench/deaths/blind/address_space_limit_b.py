"""Windows of a long recording are stacked for the whole night, on a machine with ulimit -v."""
# expect: address-space-limit
# address_space: 1200

import numpy as np


def recording(seconds, rate):
    rng = np.random.default_rng(0)
    return rng.standard_normal(seconds * rate).astype(np.float32)


def windows(signal, size, hop):
    count = 1 + (len(signal) - size) // hop
    out = np.empty((count, size), np.float32)  # <- here
    for i in range(count):
        out[i] = signal[i * hop : i * hop + size]
    return out


def features(night):
    energy = []
    for size in (256, 1024, 4096):
        framed = windows(night, size, hop=32)  # <- here
        energy.append(np.sqrt((framed**2).mean(axis=1)))
        print(size, framed.shape)
    return energy


if __name__ == "__main__":
    night = recording(1800, 2000)
    print([len(e) for e in features(night)])
