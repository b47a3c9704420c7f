"""What sigwaitinfo tells of the sender."""

import os
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.kill(os.getpid(), signal.SIGUSR1)
info = signal.sigwaitinfo({signal.SIGUSR1})
print(info.si_signo, info.si_code, info.si_pid == os.getpid(), info.si_uid == os.getuid())
