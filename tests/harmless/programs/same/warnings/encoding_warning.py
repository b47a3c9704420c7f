# python: -X warn_default_encoding -W error
# python-at-least: 3.10
"""No file of ours is opened without an encoding."""

import time

time.sleep(0.3)
try:
    open("x.txt", "w")
except EncodingWarning as error:
    print(error)
