"""Values go through a queue in their order."""

import multiprocessing


def work(queue):
    for n in range(5):
        queue.put(n)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    worker = context.Process(target=work, args=(queue,))
    worker.start()
    print([queue.get(timeout=20) for _ in range(5)])
    worker.join()
