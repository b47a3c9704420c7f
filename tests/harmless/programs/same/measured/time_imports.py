# measures: time
# slow
"""Many modules of the standard library."""

import time

before = time.perf_counter()
import asyncio, email.message, http.server, json, logging.config, multiprocessing, sqlite3, ssl, subprocess, tarfile, unittest.mock, xml.dom.minidom

print("imported")
print(time.perf_counter() - before)
