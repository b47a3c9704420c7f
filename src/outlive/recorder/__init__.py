"""The flight recorder: what survives the program, what is loaded in it, and the record between them.

This file stays empty of code: inside the watched program the folder is loaded by its path, under a private name.
"""
