"""How large an element of a tf.data pipeline is, as its specification tells. For the recorder and for what fits pipelines to the memory."""

from __future__ import annotations

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Optional


def spec_bytes(spec: Any, a_text: Optional[int] = None) -> Optional[int]:
    """Bytes of an element by its specification; ``None`` when a dimension is open, or when it holds texts and nobody says what to take for one."""
    if isinstance(spec, dict):
        spec = tuple(spec.values())
    if isinstance(spec, (tuple, list)):
        parts = [spec_bytes(part, a_text) for part in spec]
        return None if any(part is None for part in parts) else sum(part or 0 for part in parts)
    if type(spec).__name__ == "NoneTensorSpec":
        return 0
    if type(spec).__name__ != "TensorSpec" or spec.shape.rank is None:
        return None  # of a ragged or sparse one the shape tells nothing
    if spec.dtype.name in ("variant", "resource"):
        return None
    total = a_text if spec.dtype.name == "string" else int(spec.dtype.size)
    for side in spec.shape.as_list():
        if side is None or total is None:
            return None
        total *= side
    return total
