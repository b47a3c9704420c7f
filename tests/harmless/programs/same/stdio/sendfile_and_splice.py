"""sendfile, copy_file_range to the streams."""

import os

with open("data.txt", "w") as file:
    file.write("through sendfile\n")
with open("data.txt", "rb") as file:
    print(os.sendfile(1, file.fileno(), 0, 100), flush=True)
