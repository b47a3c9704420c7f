"""A file that may not grow: the error."""

import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with open("big", "wb", buffering=0) as file:
        print(file.write(bytes(2000)))
        file.write(bytes(2000))
except OSError as error:
    print(error.errno)
