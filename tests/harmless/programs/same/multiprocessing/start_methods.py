"""Which ways there are, and which is the usual one."""

import multiprocessing

print(multiprocessing.get_all_start_methods(), multiprocessing.get_start_method())
