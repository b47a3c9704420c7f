"""A thread refreshes the vocabulary under a lock; a worker is forked meanwhile and inherits the lock, taken."""
# expect: forked-after-threads
# hang: 3
# hang_after: 3

import multiprocessing
import threading
import time

vocabulary_lock = threading.Lock()
vocabulary = {"the": 0}


def refresh():
    while True:
        with vocabulary_lock:
            time.sleep(0.3)
            vocabulary[f"word{len(vocabulary)}"] = len(vocabulary)


def encode(text, out):
    with vocabulary_lock:  # <- here
        out.put([vocabulary.get(word, -1) for word in text.split()])


def main():
    threading.Thread(target=refresh, daemon=True).start()
    time.sleep(0.5)
    context = multiprocessing.get_context("fork")  # <- here
    results = context.Queue()
    workers = []
    for text in ("the cat", "the dog", "a word1"):
        worker = context.Process(target=encode, args=(text, results))
        worker.start()  # <- here
        workers.append(worker)
    for worker in workers:
        worker.join()
    print([results.get() for _ in workers])


main()
