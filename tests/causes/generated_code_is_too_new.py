"""Labels were generated for a protobuf that is newer than the installed one."""
# expect: protobuf-mismatch PROVEN
# ending: 1
# made_by: generated_code.sh
# needs: tensorflow

import importlib
import threading


def load(name: str) -> None:
    importlib.import_module(f"labels.{name}_pb2")  # <- here


def die() -> None:
    load("tomorrow")


def spare() -> None:
    thread = threading.Thread(target=load, args=("today",))
    thread.start()
    thread.join()
