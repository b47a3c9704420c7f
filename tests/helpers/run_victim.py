"""Play one part of a victim: ``play.py FILE die|spare``."""

import gc
import importlib
import os
import sys

if __name__ == "__main__":
    path, act = sys.argv[1:3]
    sys.argv = [path, *sys.argv[3:]]
    sys.path[0] = os.path.dirname(path)
    for unused in ("IPython", "cv2"):  # Keras loads them where they are installed: another eighth
        sys.modules[unused] = None  # type: ignore[assignment]
    gc.disable()  # a fifth of what importing TensorFlow costs is looking for garbage among its modules
    victim = importlib.import_module(os.path.basename(path)[:-3])
    gc.enable()
    getattr(victim, act)()
