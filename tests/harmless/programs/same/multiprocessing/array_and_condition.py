"""A shared array under a condition."""

import multiprocessing


def fill(array, condition):
    with condition:
        for n in range(len(array)):
            array[n] = n * n
        condition.notify()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    array, condition = context.Array("d", 5), context.Condition()
    with condition:
        worker = context.Process(target=fill, args=(array, condition))
        worker.start()
        print(condition.wait(20), list(array))
    worker.join()
