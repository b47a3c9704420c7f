"""The context of decimals is the usual one, in threads too."""

import decimal
import threading

seen = [decimal.getcontext().prec]
decimal.getcontext().prec = 5
thread = threading.Thread(target=lambda: seen.append(decimal.getcontext().prec))
thread.start()
thread.join()
print(seen[0], decimal.Decimal(1) / 3)
