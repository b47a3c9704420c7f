"""Every trial opens a log file of its own and never closes it."""
# expect: too-many-open-files

import resource

import tensorflow as tf

resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))


class Trial:
    def __init__(self, number, rate):
        self.rate = rate
        self.log = open(f"trial_{number}.csv", "w")  # noqa: SIM115  # <- here
        self.w = tf.Variable(3.0)

    def run(self, steps):
        for step in range(steps):
            self.w.assign_sub(self.rate * 2 * self.w)
            self.log.write(f"{step},{float(self.w)}\n")
        return float(self.w)


def search(rates):
    trials = []
    for number, rate in enumerate(rates):
        trial = Trial(number, rate)
        trial.run(3)
        trials.append(trial)
    return min(trials, key=lambda t: abs(float(t.w)))


print("best", search([0.001 * n for n in range(300)]).rate)
