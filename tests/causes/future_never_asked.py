"""Tasks of an executor fail, nobody asks, and the program ends with status 0."""
# expect: background-error-lost PROVEN
# ending: 0

from concurrent.futures import ThreadPoolExecutor

results: list[float] = []


def work(number: int) -> None:
    results.append(1 / number)  # <- here


def run(numbers: list[int], ask: bool) -> None:
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(work, number) for number in numbers]
    for future in futures if ask else []:
        print(future.exception())
    print(len(results), "results")


def die() -> None:
    run([1, 0, 2], ask=False)


def spare() -> None:
    run([1, 0, 2], ask=True)
