"""Context variables, copies, threads."""

import contextvars
import threading

variable = contextvars.ContextVar("variable", default="default")
variable.set("main")
print(len(contextvars.copy_context()), [one.name for one in contextvars.copy_context()])
seen = []
thread = threading.Thread(target=lambda: seen.append(variable.get()))
thread.start()
thread.join()
contextvars.copy_context().run(variable.set, "inner")
print(variable.get(), len(seen))
