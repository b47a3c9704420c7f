# ci
"""What /proc/self/status says of credentials, seccomp, capabilities."""

for line in open("/proc/self/status"):
    if line.startswith(
        (
            "Umask",
            "Uid",
            "Gid",
            "Groups",
            "Cap",
            "NoNewPrivs",
            "Seccomp:",
            "Cpus_allowed_list",
            "TracerPid",
            "State",
        )
    ):
        print(line.split())
