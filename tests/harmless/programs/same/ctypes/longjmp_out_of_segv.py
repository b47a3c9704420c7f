# needs: command cc
"""A library that catches SIGSEGV itself and jumps out of it."""

import ctypes
import os
import subprocess

with open("jump.c", "w") as file:
    file.write("""#include <setjmp.h>
#include <signal.h>
static sigjmp_buf place;
static void handler(int number) { siglongjmp(place, number); }
int survive(void) {
  struct sigaction ours = {0}, theirs; ours.sa_handler = handler;
  sigaction(SIGSEGV, &ours, &theirs);
  int got = sigsetjmp(place, 1);
  if (got == 0) { volatile int *p = 0; *p = 1; }
  sigaction(SIGSEGV, &theirs, 0);
  return got;
}
""")
subprocess.run(["cc", "-shared", "-fPIC", "-o", "jump.so", "jump.c"], check=True)
library = ctypes.CDLL("./jump.so")
print([library.survive() for _ in range(3)])
os.remove("jump.so")
