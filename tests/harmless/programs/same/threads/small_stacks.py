"""Many threads with the smallest stack."""

import threading

threading.stack_size(32 * 1024)
done = []
threads = [threading.Thread(target=done.append, args=(n,)) for n in range(50)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(done) == list(range(50)))
