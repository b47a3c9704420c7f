"""Files of every kind, with their modes and times."""

import os
import pathlib

pathlib.Path("text.txt").write_text("text")
os.symlink("text.txt", "link")
os.link("text.txt", "hard")
os.mkfifo("fifo")
os.mkdir("folder", 0o750)
os.utime("text.txt", (1, 2))
print(sorted(os.listdir()), os.stat("text.txt").st_mtime, os.stat("text.txt").st_nlink)
os.remove("fifo")
