"""Pipes, events, locks, values between processes."""

import multiprocessing


def work(pipe, event, value):
    event.wait(20)
    with value.get_lock():
        value.value += 3
    pipe.send({"from": "worker"})


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    event, value = context.Event(), context.Value("i", 4)
    worker = context.Process(target=work, args=(theirs, event, value))
    worker.start()
    event.set()
    print(ours.recv(), value.value)
    worker.join()
