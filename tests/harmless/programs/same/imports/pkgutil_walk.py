"""Top-level modules that could be imported have none of ours."""

import pkgutil

print(
    [
        module.name
        for module in pkgutil.iter_modules()
        if module.name.startswith(("_outlive", "sitecustomize", "inside"))
    ]
)
