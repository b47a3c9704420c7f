"""A custom op was built against a library that is not installed here; tf.load_op_library() cannot load it."""
# expect: shared-library-missing

import pathlib
import subprocess

import tensorflow as tf


def build_op(folder):
    folder.mkdir(exist_ok=True)
    (folder / "blas.c").write_text("int fast_dot(int a) { return a * a; }")
    (folder / "op.c").write_text("int fast_dot(int); int roi_align(int a) { return fast_dot(a); }")
    cc = ["gcc", "-shared", "-fPIC"]
    subprocess.run([*cc, "-o", "libfastdot.so.2", "blas.c"], cwd=folder, check=True)
    subprocess.run(
        [*cc, "-o", "roi_align.so", "op.c", "-l:libfastdot.so.2", "-L."], cwd=folder, check=True
    )
    (folder / "libfastdot.so.2").unlink()


class Detector:
    def __init__(self, ops_folder):
        self.ops = tf.load_op_library(str(ops_folder / "roi_align.so"))  # <- here

    def __call__(self, features, boxes):
        return self.ops.roi_align(features, boxes)


build_op(pathlib.Path("ops"))
print(Detector(pathlib.Path("ops"))(tf.zeros([1, 8, 8, 3]), tf.zeros([4, 4])))
