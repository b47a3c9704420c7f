"""Three workers meet."""

import multiprocessing


def meet(barrier, semaphore):
    with semaphore:
        pass
    barrier.wait(20)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    barrier, semaphore = context.Barrier(3), context.Semaphore(2)
    workers = [context.Process(target=meet, args=(barrier, semaphore)) for _ in range(3)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    print([worker.exitcode for worker in workers], barrier.broken)
