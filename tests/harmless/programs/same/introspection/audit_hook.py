"""Audit events after the program begins are its own."""

import sys
import time

events = []
sys.addaudithook(lambda event, arguments: events.append(event) if not done else None)
done = False
time.sleep(0.4)
compile("1", "<x>", "eval")
done = True
print(sorted(set(events) - {"time.sleep"}))
