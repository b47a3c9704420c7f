# environment: PYTHONIOENCODING=latin-1:replace
"""An encoding of the streams that the user wants."""

import sys

print(sys.stdout.encoding, "äö €")
