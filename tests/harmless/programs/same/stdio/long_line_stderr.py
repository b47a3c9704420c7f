# status: 1
"""A line of 100 kB on stderr, and status 1."""

import sys

sys.stderr.write("=" * 100_000)
sys.exit(1)
