# status: 120
# needs: command sh
"""The last flush fails: status 120."""

import os

print("lost")
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
