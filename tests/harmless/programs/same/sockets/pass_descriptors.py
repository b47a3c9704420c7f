"""Descriptors through a socket."""

import array
import os
import socket

one, two = socket.socketpair()
read_end, write_end = os.pipe()
socket.send_fds(one, [b"x"], [read_end])
data, numbers, _, _ = socket.recv_fds(two, 10, 2)
os.write(write_end, b"through")
print(data, len(numbers), os.read(numbers[0], 10))
