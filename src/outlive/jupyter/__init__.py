"""Notebooks: the cell that died says why.

A supervisor stands between whoever starts a kernel and the kernel. It outlives the kernel, finds out why it died, and answers the running
cell in its place.
"""
