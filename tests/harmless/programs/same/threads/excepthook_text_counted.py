# ci
"""The text of an error in a thread is made once."""

import threading

asked = []


class Odd(Exception):
    def __str__(self):
        asked.append(1)
        return "odd"


def fail():
    raise Odd


thread = threading.Thread(target=fail, name="failing")
thread.start()
thread.join()
print(len(asked))
