"""The other end of a pair is the program itself."""

import os
import socket
import struct

one, two = socket.socketpair()
pid, uid, gid = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
print(pid == os.getpid(), uid == os.getuid())
