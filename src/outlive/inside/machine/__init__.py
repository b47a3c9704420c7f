"""The machine as seen from a process: limits, cgroups, shared objects."""
