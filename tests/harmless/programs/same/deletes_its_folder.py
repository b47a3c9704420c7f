"""Work in a folder that is gone."""

import os

os.mkdir("here")
os.chdir("here")
os.rmdir("../here")
sum(range(10_000_000))
try:
    print(os.getcwd())
except FileNotFoundError as error:
    print("gone", error.errno)
