"""Who is the main thread."""

import threading

print(
    threading.main_thread().name,
    threading.main_thread() is threading.current_thread(),
    threading.get_ident() == threading.main_thread().ident,
    threading.main_thread().native_id == threading.get_native_id(),
    threading.main_thread().daemon,
)
