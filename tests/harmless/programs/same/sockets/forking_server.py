"""A forking server answers three times."""

import os
import socket
import socketserver
import threading


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline()[::-1])


server = socketserver.ForkingTCPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
thread.start()
for text in (b"abc\n", b"def\n", b"ghi\n"):
    with socket.create_connection(server.server_address) as client:
        client.sendall(text)
        print(client.makefile("rb").read())
server.shutdown()
thread.join()
server.server_close()
