"""Operations without a kernel: what TensorFlow 2.21 and others said, and whether a dtype was why."""

from __future__ import annotations

import pytest

from outlive.units.complaints.kernels import refused_dtype

NODE = "Could not find device for node: {{node X}} = "
GRAPH = "No OpKernel was registered to support Op 'CudnnRNN' used by {{node CudnnRNN}} with these attrs: [seed=0, T=DT_FLOAT]\n"


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            NODE
            + 'CudnnRNN[T=DT_FLOAT, seed=0]\nAll kernels registered for op CudnnRNN:\n  <no registered kernels>\n [Op:CudnnRNN]',
            id="none at all",
        ),
        pytest.param(
            NODE
            + "NcclAllReduce[T=DT_INT32]\nAll kernels registered for op NcclAllReduce:\n  device='GPU'; T in [DT_FLOAT]\n  device='GPU'; T in [DT_HALF]\n",
            id="only on another device",
        ),
        pytest.param(
            GRAPH + "Registered devices: [CPU]\nRegistered kernels:\n  <no registered kernels>\n",
            id="none at all, in a graph",
        ),
        pytest.param(
            GRAPH
            + "Registered devices: [CPU]\nRegistered kernels:\n  device='GPU'; T in [DT_DOUBLE]\n",
            id="only on another device, in a graph",
        ),
        pytest.param(
            NODE
            + "Conv2D[T=DT_FLOAT]\nAll kernels registered for op Conv2D:\n  device='CPU'; T in [DT_FLOAT]; label='x'\n",
            id="a kernel takes it and was refused for another reason",
        ),
        pytest.param(
            NODE
            + 'TPUReplicateMetadata[use_tpu=true]\nAll kernels registered for op TPUReplicateMetadata:\n  <no registered kernels>\n',
            id="no dtype at all",
        ),
        pytest.param(
            NODE
            + "MatMul[T=DT_UINT8]\nAll kernels registered for op MatMul:\n  device='XLA_CPU_JIT'; T in [DT_FLOAT]\n",
            id="only for the compiler",
        ),
    ],
)  # fmt: skip
def test_without_a_kernel_on_a_device_that_is_there_no_dtype_is_wrong(message: str) -> None:
    assert refused_dtype(message) is None


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (
            NODE
            + "MatMul[T=DT_UINT8]\nAll kernels registered for op MatMul:\n  device='XLA_CPU_JIT'; T in [DT_FLOAT]\n  device='CPU'; T in [DT_INT64]\n  device='CPU'; T in [DT_FLOAT]\n [Op:MatMul]",
            ("MatMul", "uint8", "int64, float"),
        ),
        (
            NODE
            + "Bincount[Tidx=DT_INT32, T=DT_STRING]\nAll kernels registered for op Bincount:\n  device='CPU'; Tidx in [DT_INT32]; T in [DT_FLOAT]\n",
            ("Bincount", "string", "float"),
        ),
        (
            GRAPH
            + "Registered devices: [CPU, GPU]\nRegistered kernels:\n  device='GPU'; T in [DT_DOUBLE]\n",
            ("CudnnRNN", "float", "double"),
        ),
    ],
)  # fmt: skip
def test_where_other_kernels_are_there_the_dtype_is_named(
    message: str, found: tuple[str, str, str]
) -> None:
    told = refused_dtype(message)

    assert told is not None
    assert found == (told["name"], told["first"], told["second"])
