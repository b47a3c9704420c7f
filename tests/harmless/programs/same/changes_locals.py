"""A dictionary of locals is the program's own, also under memory pressure and with threads."""

import threading


def keeps_locals():
    number, text = 1, "text"
    names = locals()
    sum(range(8_000_000))
    later = number
    return sorted(names), names["number"], names["text"], later


results = []
threads = [threading.Thread(target=lambda: results.append(keeps_locals())) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results)
