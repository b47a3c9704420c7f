"""A process pool expands documents into n-grams; one document is far too long for the container."""
# expect: worker-out-of-memory
# memory: 250

import concurrent.futures
import multiprocessing
import random

VOCABULARY = [f"w{n}" for n in range(50_000)]


def ngrams(job):
    seed, length = job
    rng = random.Random(seed)
    words = rng.choices(VOCABULARY, k=length)
    grams = {}
    for n in range(1, 6):
        for start in range(len(words) - n):
            gram = " ".join(words[start : start + n])
            grams[gram] = grams.get(gram, 0) + 1  # <- here
    return seed, len(grams)


def count_all(lengths):
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        for seed, count in pool.map(ngrams, enumerate(lengths)):  # <- here
            print("document", seed, "n-grams", count, flush=True)


if __name__ == "__main__":
    count_all([2000, 5000, 1_000_000, 4000])
