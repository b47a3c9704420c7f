"""A sparse file."""

import os

with open("sparse", "wb") as file:
    file.truncate(1 << 20)
    file.seek(1 << 19)
    file.write(b"x")
print(os.stat("sparse").st_size)
os.truncate("sparse", 3)
