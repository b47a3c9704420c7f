"""`pytest --outlive`: when a test run dies, which test it was, and why.

pytest replaces itself by `outlive run` of the same command line before anything is collected, so that the run is recorded from its first
import on and ends as it would have ended. In the recorded pytest a few hooks keep a journal of what runs (``plugin``, ``journal``). When
the run is over, a command of Outlive's own (``afterwards``, started by ``--on-end``) puts journal and verdict together.
"""
