"""Workers that crash or are too slow are killed by their parent and replaced; the parent ends with 0."""
# expect: nothing

import multiprocessing
import os
import signal
import time


def work(number, attempt, out):
    if number == 1 and attempt == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 2 and attempt == 0:
        time.sleep(60)
    out.send(sum(k * k for k in range(number * 1000)))


class Supervisor:
    def __init__(self, patience):
        self.patience = patience
        self.context = multiprocessing.get_context("spawn")

    def run(self, number):
        for attempt in range(3):
            receive, send = self.context.Pipe(duplex=False)
            worker = self.context.Process(target=work, args=(number, attempt, send))
            worker.start()
            send.close()
            worker.join(self.patience)
            if worker.is_alive():
                print("worker", number, "is too slow, killed")
                worker.kill()
                worker.join()
            elif worker.exitcode == 0:
                return receive.recv()
            print("worker", number, "ended with", worker.exitcode)
        raise RuntimeError(f"worker {number} does not work")


if __name__ == "__main__":
    supervisor = Supervisor(patience=2.0)
    print([supervisor.run(number) for number in range(4)])
