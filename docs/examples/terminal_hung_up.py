"""Trains on, until the terminal that it was started in is closed."""

import time


def main() -> None:
    for step in range(10_000):
        print(f"step {step}", flush=True)
        time.sleep(0.05)


main()
