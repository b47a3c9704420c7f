"""A reader of records that is told how they are compressed."""

from __future__ import annotations

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix


@fix("F129", since="0.2", heals=("corrupt-record",))
def compression_told(case: FixCase) -> Answer:
    """The reader of records is told how the file is compressed, or that it is not.

    ## What it changes
    `compression_type` of `tf.data.TFRecordDataset`.

    ## When it is offered
    The file was checked after the death: it is compressed and was read as uncompressed, or the other way round.

    ## What becomes of the results
    The records are read as they were written.
    """
    fault = next((file.fault for file in case.evidence.inspection.files if file.fault), "")
    if "compressed" not in fault:
        return None
    plain = "is not compressed" in fault
    kind = "ZLIB" if "ZLIB" in fault else "GZIP"
    readers = [
        call
        for call in case.source.calls_ending_in("TFRecordDataset")
        if last_name(call.func) == "TFRecordDataset"
    ]
    on_line = [call for call in readers if call in case.calls()]
    wanted = on_line or readers
    if len(wanted) != 1:
        return f"records are read in {len(wanted)} places of this file"
    told = case.argument(wanted[0], "compression_type", 1)
    if told is not None:
        edit = case.replaced(told, '""' if plain else f'"{kind}"')
    elif plain:
        return "the reader is not told that the file is compressed"
    else:
        edit = case.one_argument_more(wanted[0], f'compression_type="{kind}"')
    return Patch(f"Read the records as {'plain' if plain else kind}.", (edit,))
