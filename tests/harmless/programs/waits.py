"""Wait until a key ends it. In short steps: a signal just before a long wait would only be noticed after it."""

import time

print("<ready>", flush=True)
while True:
    time.sleep(0.02)
