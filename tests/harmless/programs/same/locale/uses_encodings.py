"""Encodings of the start."""

import locale
import sys

print(
    sys.getdefaultencoding(),
    sys.getfilesystemencoding(),
    sys.getfilesystemencodeerrors(),
    locale.getpreferredencoding(False),
    locale.setlocale(locale.LC_ALL),
)
