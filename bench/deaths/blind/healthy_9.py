"""A helper thread raises, the error is kept and raised again in the main thread, where it is handled."""
# expect: nothing

import queue
import threading

import tensorflow as tf


class Loader(threading.Thread):
    def __init__(self, rows):
        super().__init__(daemon=True)
        self.rows = rows
        self.out = queue.Queue()
        self.error = None

    def run(self):
        try:
            for row in self.rows:
                self.out.put(tf.strings.to_number(row))
        except tf.errors.InvalidArgumentError as error:
            self.error = error
        finally:
            self.out.put(None)


loader = Loader(["1.5", "2.5", "x", "3.5"])
loader.start()
total = 0.0
while (value := loader.out.get()) is not None:
    total += float(value)
loader.join()
if loader.error is not None:
    print("the loader stopped early:", loader.error.message)
print("total", total)
