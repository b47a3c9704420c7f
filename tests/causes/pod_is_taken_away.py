"""In a pod: SIGTERM comes from outside the container, as the kubelet's do."""
# expect: preempted LIKELY
# ending: 143
# container: yes
# send: SIGTERM
# variables: KUBERNETES_SERVICE_HOST=10.0.0.1

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
