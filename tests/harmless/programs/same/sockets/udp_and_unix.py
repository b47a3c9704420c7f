"""Datagrams and sockets in the file system."""

import os
import socket

one, two = (
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
)
one.bind(("127.0.0.1", 0))
two.sendto(b"datagram", one.getsockname())
print(one.recv(100))
server = socket.socket(socket.AF_UNIX)
server.bind("socket")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("socket")
accepted, _ = server.accept()
client.send(b"unix")
print(accepted.recv(10))
os.remove("socket")
