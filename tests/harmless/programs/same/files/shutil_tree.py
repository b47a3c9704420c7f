"""Trees are copied and removed."""

import os
import shutil

os.makedirs("a/b/c")
open("a/b/x", "w").write("x")
shutil.copytree("a", "copy")
shutil.make_archive("arch", "gztar", "a")
shutil.rmtree("a")
print(sorted(os.listdir()), shutil.disk_usage(".").total > 0)
os.remove("arch.tar.gz")
