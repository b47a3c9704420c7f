# ci
"""Whether it is enabled, before and after."""

import faulthandler

print(
    faulthandler.is_enabled(),
    faulthandler.disable(),
    faulthandler.is_enabled(),
    faulthandler.enable(),
    faulthandler.is_enabled(),
)
