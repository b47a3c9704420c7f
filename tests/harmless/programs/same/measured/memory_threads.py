# measures: memory
"""Peak memory of fifty threads."""

import threading

done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(50)]
[thread.start() for thread in threads]
done.set()
[thread.join() for thread in threads]
print(len(threads))
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(int(line.split()[1]) / 1024)
