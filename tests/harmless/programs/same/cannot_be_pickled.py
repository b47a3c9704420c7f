# death
"""The trace of a process that cannot be started has the program's frames and multiprocessing's, nobody else's."""

import multiprocessing

if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=print, args=((n for n in ()),)).start()
