"""The size of stacks is what the program says."""

import threading

print(threading.stack_size(), threading.stack_size(256 * 1024), threading.stack_size())
thread = threading.Thread(target=lambda: print("runs"))
thread.start()
thread.join()
