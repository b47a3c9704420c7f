# needs: module psutil
"""psutil sees no child and no connection of ours."""

import psutil

me = psutil.Process()
print(
    me.children(),
    me.net_connections() if hasattr(me, "net_connections") else me.connections(),
    me.nice(),
    me.status() in ("running", "sleeping"),
)
