"""What several causes look like from outside: the words that a person has before anybody has looked.

A cause says itself which of these it shows (``searched=`` of its unit); here is what they have in common, other words for the same, and
what tells the causes apart. A phrase that several causes share and that is not here gets a page that lists them (``searching.symptoms``).
"""

from __future__ import annotations

from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Symptom:
    """One phrase that leads to several causes."""

    phrase: str
    also: tuple[str, ...]  #: other words for the same
    says: str  #: what it means, and how to get from it to the cause; Markdown

    @property
    def slug(self) -> str:
        """A name for its page."""
        words = "".join(c if c.isalnum() else " " for c in self.phrase.casefold()).split()
        return "-".join(("seen", *words))


#: What is said of a phrase that several causes share before somebody has written more.
SHARED = "Several causes look like this."

#: How to have the question answered, whatever the symptom.
ASK = "Run it again as `outlive run train.py` (for notebooks: `outlive jupyter enable`): the verdict names the cause and the line."

SYMPTOMS = (
    Symptom(
        "tensorflow kernel died",
        (
            "The kernel appears to have died. It will restart automatically",
            "Canceled future for execute_request message before replies were done",
            "The Kernel crashed while executing code in the current cell or a previous cell",
            "Dead kernel jupyter DeadKernelError: Kernel died",
            "Your session crashed after using all available RAM",
            "jupyter kernel keeps dying",
        ),
        "A notebook shows this whenever the process behind it is gone; it does not know why, and neither does VS Code's \"Canceled future\". "
        "Most often memory ran out; it can as well be a crash in native code, a CPU that is too old, or somebody's `kill`. "
        "Enable Outlive once with `outlive jupyter enable`, restart the kernel, and run the cell again: its output then says what "
        "happened, and in which line of which cell.",
    ),
    Symptom(
        "Killed",
        ("zsh: killed python", "Process finished with exit code 137 (interrupted by signal 9: SIGKILL)"),
        "The shell says `Killed` after any SIGKILL. That is usually, but not always, Linux running out of memory: a batch system, "
        "a container engine, `systemd-oomd` or a person can send it too. The word alone proves nothing; the OOM counters of Linux do, and `outlive run` reads them before and after.",
    ),
    Symptom(
        "exit code 137",
        ("exited with code 137", "returned non-zero exit status 137", "Command terminated with exit code 137", "exit status 137 docker"),
        "137 is 128 + 9: the program, or a worker of it, was ended by SIGKILL. Docker and Kubernetes say `OOMKilled` beside it only when "
        "their own limit was the reason; 137 without it can be the machine that ran out of memory, a grace period that was over, the "
        "hard limit on CPU time, or somebody's `kill -9`.",
    ),
    Symptom(
        "exit code 143",
        ("exited with code 143", "Command terminated with exit code 143", "returned non-zero exit status 143"),
        "143 is 128 + 15: somebody asked the program to end with SIGTERM, as `docker stop`, a pod that is deleted, `scancel` and a "
        "job's time limit do. The program did nothing wrong; the question is who asked, and Outlive names the sender.",
    ),
    Symptom(
        "Segmentation fault (core dumped) tensorflow",
        ("Segmentation fault (core dumped)", "segfault python", "Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)", "Fatal Python error: Segmentation fault"),
        "Native code accessed memory that does not belong to it. Python cannot catch it, and says nothing. Whose native code it was decides "
        "what to do: a kernel of TensorFlow, another library, an exhausted stack, or destructors after the program's last line.",
    ),
    Symptom(
        "exit code 139",
        ("exited with code 139", "exit status 139 docker"),
        "139 is 128 + 11: a segmentation fault (SIGSEGV) in native code. See whose code it was.",
    ),
    Symptom(
        "Aborted (core dumped)",
        ("SIGABRT python", "Process finished with exit code 134 (interrupted by signal 6: SIGABRT)"),
        "The process ended itself with SIGABRT because something in it met a state that it considers impossible: a `CHECK` of TensorFlow's, "
        "the C library's check of its own heap, or a call of `abort`. The reason is in the last lines of stderr.",
    ),
    Symptom(
        "exit code 134",
        ("exited with code 134", "exit status 134 docker"),
        "134 is 128 + 6: the process aborted itself (SIGABRT). Who called `abort` decides what to do.",
    ),
    Symptom(
        "Bus error (core dumped)",
        ("SIGBUS python", "Process finished with exit code 135 (interrupted by signal 7: SIGBUS)"),
        "A page of a file that is mapped into memory could not be loaded: the file was truncated, or the file system in memory that it "
        "lives in (`/dev/shm` in a container: 64 MB by default) is full.",
    ),
    Symptom(
        "exit code 135",
        ("exited with code 135",),
        "135 is 128 + 7 on x86 and ARM: a bus error (SIGBUS). A mapped file lost its end, or shared memory was full.",
    ),
    Symptom(
        "exit code 1",
        ("exited with code 1", "returned non-zero exit status 1", "Process finished with exit code 1"),
        "The program ended with an uncaught exception (then there is a traceback), or it ended itself with that status (then there "
        "is none, and Outlive names the line that did).",
    ),
    Symptom(
        "ResourceExhaustedError: OOM when allocating tensor with shape",
        ("tensorflow out of memory", "failed to allocate memory [Op:"),
        "TensorFlow asked for one tensor and got no memory for it. On a GPU that is the memory of the GPU, otherwise that of the machine; the message "
        "names the allocator (`GPU_0_bfc` or `cpu`).",
    ),
    Symptom(
        "tensorflow memory leak",
        ("tensorflow memory usage keeps increasing", "keras memory grows every epoch", "tf.data memory leak", "python RAM not freed"),
        "Memory that rises is not yet a leak: caches and buffers fill up and stay. If it rises with every step, something holds on to it: your own list, TensorFlow's graphs, a tape, native code, or an allocator that cannot return free memory. `outlive top` shows what grows while it runs; the verdict names the line.",
    ),
    Symptom(
        "tensorflow training hangs",
        ("model.fit stuck at first epoch", "keras training freezes", "python program hangs forever"),
        "Nothing happens and nothing is printed. Ask the live process: `outlive why PID` shows what each thread is waiting for and who holds it; `outlive run --hang-after 300 train.py` reports it by itself.",
    ),
)  # fmt: skip
