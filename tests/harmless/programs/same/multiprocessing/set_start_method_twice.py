"""The way can be set once."""

import multiprocessing

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    try:
        multiprocessing.set_start_method("fork")
    except RuntimeError as error:
        print(error, multiprocessing.get_start_method())
