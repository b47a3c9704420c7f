"""Specs of modules that are imported now."""

import concurrent.futures._base
import multiprocessing.context
import subprocess

for module in (subprocess, concurrent.futures._base, multiprocessing.context):
    print(
        module.__name__,
        type(module.__loader__).__name__,
        type(module.__spec__.loader).__name__,
        module.__spec__.loader is module.__loader__,
        module.__spec__.parent,
    )
