"""Write from where nothing can be read: an error, no crash."""

import ctypes

import common

shim = common.start()
common.refresh(shim)
library = ctypes.CDLL(None, use_errno=True)
for address in (None, 8, 4096, -1):
    print(library.write(2, ctypes.c_void_p(address), 5), ctypes.get_errno())
