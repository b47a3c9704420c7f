"""The variables that the kernel has, in their order."""

print(
    [
        one
        for one in open("/proc/self/environ", "rb").read().split(b"\0")
        if not one.startswith((b"PYTHONPATH=", b"OUTLIVE"))
    ]
)
