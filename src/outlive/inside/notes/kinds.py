"""Every kind of entry that a record holds, named once: whoever writes one and whoever reads one takes its name from here.

The texts are those of records on people's disks and do not change. ``tests/project/test_vocabulary.py`` holds that each is written
and that somebody outside the program reads it. Loaded inside the watched program: standard library only, Python 3.9.
"""

from __future__ import annotations


class Kind(str):
    """The name of a kind; a text for everybody but the type checker, which lets no other text pass for one."""

    __slots__ = ()


# The supervisor's log.
RUN = Kind("run")  #: a run began: command, folder, limits, the machine
KERNEL = Kind("kernel")  #: the program is the kernel of a notebook
SAMPLE = Kind("sample")  #: memory, threads and CPU time at one moment, seen from outside
HANG = Kind("hang")  #: the program stands still
MOVING = Kind("moving")  #: it moves again after a hang
WARNING = Kind("warning")  #: a watch has said what will become of the program
SIGNAL = Kind("signal")  #: a signal reached the supervisor, and who sent it
STOPPED = Kind("stopped")  #: the program was stopped (Ctrl-Z)
CONTINUED = Kind("continued")  #: it was continued after a stop
ENDED_BY_OUTLIVE = Kind("ended-by-outlive")  #: it hung for good, and `--heal` told it to end
END = Kind("end")  #: the counters just after the death
AFTERMATH = Kind("aftermath")  #: what surrounded the death: disks, limits, installation
PACKAGES = Kind("packages")  #: what is installed beside the program
EXIT = Kind("exit")  #: how the program ended, as the kernel tells it
INSPECTION = Kind("inspection")  #: which of the program's data files are bad
GAP = Kind("gap")  #: what could not be read, and why
STDERR = Kind("stderr")  #: the tail of stderr, where that is a file

# The log of a record that was packed.
SOURCE = Kind("source")  #: the text of a source file that the verdict quotes

# The rings of the processes.
PROCESS = Kind("process")  #: a process began
STACK = Kind("stack")  #: where the threads are
LOOK = Kind("look")  #: what the threads wait for, as it was asked
ERROR = Kind("error")  #: an exception that ended a thread, or that nobody asked for
SHOWN = Kind("shown")  #: an exception that the program printed or handled
LOGGED = Kind("logged")  #: an exception that a thread handled while it logged something
AROUND = Kind("around")  #: files, threads and paths when an exception was handled
SCENE = Kind("scene")  #: the values in the frames of an exception
QUIT = Kind("quit")  #: the program asked to exit
KILL = Kind("kill")  #: the program sent a signal
CHILD = Kind("child")  #: a child ended badly
SEEN = Kind("seen")  #: somebody asked for an error, or for how a child ended
TIMER = Kind("timer")  #: an alarm was set
CLOSED = Kind("closed")  #: a session was closed
CANCELLED = Kind("cancelled")  #: a future or operations were cancelled
STAGE = Kind("stage")  #: a stage of a tf.data pipeline was made
CENSUS = Kind("census")  #: what holds the memory
BRAKE = Kind("brake")  #: the program was stopped before it ran out of memory
CAN_SAVE = Kind("can-save")  #: the program can save a checkpoint when memory runs out
HANDLED = Kind("handled")  #: it did so
SAVED = Kind("saved")  #: a checkpoint was written
RESTORED = Kind("restored")  #: a checkpoint was read
FORK_BY_NAME = Kind("fork-by-name")  #: the program chose to start its workers by fork
LEAVING = Kind("leaving")  #: its last ``atexit`` function has run
UNLOADED = Kind("unloaded")  #: what was asked for has no effect, and why

# In a ring, whether the C library was loaded; in a file of its own, what that library kept.
SHIM = Kind("shim")  #: stderr, abort message and signals of a process

# The cells of a notebook.
CELL = Kind("cell")  #: a cell was started
FILE = Kind("file")  #: the file name under which its code was compiled
DONE = Kind("done")  #: it ended, and with which error
SHUTDOWN = Kind("shutdown")  #: the kernel was asked to end

#: Notes that a process may write however well it goes: by themselves they are no event.
ORDINARY = frozenset(
    {
        SHIM,
        CENSUS,
        STAGE,
        LEAVING,
        CLOSED,
        CANCELLED,
        SEEN,
        LOOK,
        TIMER,
        SHOWN,
        LOGGED,
        BRAKE,
        CAN_SAVE,
        HANDLED,
        SAVED,
        RESTORED,
        FORK_BY_NAME,
    }
)
