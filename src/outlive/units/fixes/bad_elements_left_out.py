"""Elements of a pipeline that cannot be read are left out."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

STAGES = ("map", "flat_map", "interleave", "TFRecordDataset")


@fix("F120", since="0.2", heals=("corrupt-image", "corrupt-record", "missing-file"))
def bad_elements_left_out(case: FixCase) -> Answer:
    """The pipeline leaves out the elements that cannot be read, and logs each.

    ## What it changes
    `.ignore_errors(log_warning=True)` behind the stage that reads or decodes.

    ## When it is offered
    The error came out of a tf.data pipeline, and the stage stands in the file.

    ## What becomes of the results
    Elements are missing. The patch says so.
    """
    pipeline = case.evidence.scene.pipeline
    if pipeline is None:
        return (
            None if case.finding.slug == "missing-file" else "it was not read by a tf.data pipeline"
        )
    look = case.evidence.inspection
    if any("compress" in file.fault for file in look.files):
        return (
            "the file is intact, but it is read in a different form from the one it was written in"
        )
    if look.seen > 1 and look.bad == look.seen and look.whole:
        return "every element that was checked is bad: nothing would be left"
    calls = [call for call in case.calls(*STAGES) if _is_method_of_a_dataset(call)]
    if not calls:
        maps = {
            stage.place.line
            for stage in pipeline.stages
            if stage.place
            and case.finding.where
            and stage.place.file == case.finding.where.file
            and stage.kind in ("Map", "ParallelMap", "FlatMap", "Interleave", "ParallelInterleave")
        }
        calls = [
            call
            for call in case.source.every(ast.Call)
            if last_name(call.func) in STAGES and call.func.end_lineno in maps
        ]
    if len(calls) != 1:
        return "it is not known which stage of the pipeline reads the bad elements"
    return Patch(
        "Leave out the elements that cannot be read, and log each.",
        (case.behind(calls[0], ".ignore_errors(log_warning=True)"),),
        results="Elements that cannot be read are missing from the data; each is logged on stderr.",
    )


def _is_method_of_a_dataset(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in STAGES
