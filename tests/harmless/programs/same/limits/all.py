# ci
"""All limits at the start."""

import resource

print(
    {
        name: resource.getrlimit(getattr(resource, name))
        for name in dir(resource)
        if name.startswith("RLIMIT_")
    }
)
