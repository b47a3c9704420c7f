"""Folder, mask and descriptors are inherited."""

import os

os.mkdir("sub")
os.chdir("sub")
os.umask(0o077)
number = os.open("file", os.O_RDWR | os.O_CREAT, 0o666)
child = os.fork()
if child == 0:
    os.write(number, b"from the child")
    open("other", "w").close()
    os._exit(0)
os.waitpid(child, 0)
print(os.lseek(number, 0, os.SEEK_CUR), oct(os.stat("file").st_mode), oct(os.stat("other").st_mode))
