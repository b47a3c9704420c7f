"""A chain of Pythons, shells and execs; what each says and how each ends."""

import os
import subprocess
import sys

PYTHON = sys.executable
print(subprocess.run([PYTHON, "-c", "import sys; sys.exit(3)"], check=False).returncode)
print(
    subprocess.run(["sh", "-c", PYTHON + " -c 'print(1)' | cat"], capture_output=True, check=False)
)
print(subprocess.run([PYTHON, "-c", "import os; os.kill(os.getpid(), 9)"], check=False).returncode)
print(
    subprocess.run(
        [PYTHON, "-I", "-c", "import sys; print(len(sys.argv))"], capture_output=True, check=False
    ).stdout
)
print(os.system(PYTHON + " -c 'import sys; sys.exit(2)'"))
child = subprocess.Popen([PYTHON, "-c", "input()"], stdin=subprocess.PIPE)
child.terminate()
print(child.wait())
print(
    os.waitstatus_to_exitcode(
        os.waitpid(os.posix_spawn(PYTHON, [PYTHON, "-c", "1/1"], os.environ), 0)[1]
    )
)
try:
    subprocess.run([PYTHON, "-c", "import sys; sys.exit(5)"], check=True)
except subprocess.CalledProcessError as error:
    print(error.returncode)
sys.stdout.flush()
os.execv(PYTHON, [PYTHON, "-c", "import sys; print(sys.argv); sys.exit(6)", "an argument"])
