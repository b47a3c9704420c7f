"""The interval of switches is what it was, and is obeyed."""

import sys

print(sys.getswitchinterval())
sys.setswitchinterval(1e-6)
print(round(sys.getswitchinterval(), 7))
sum(range(1_000_000))
