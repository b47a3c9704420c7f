"""What `outlive.skip_bad` costs on clean data: the same pipeline with and without it, alternated; CPU time and wall-clock time per element.

python bench/skip_bad.py [--rounds 9] [--pictures 2000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


def pictures(folder: Path, count: int) -> list[str]:
    """Copies of one photograph-like JPEG of 480×640."""
    import tensorflow as tf

    rough = tf.random.stateless_uniform([15, 20, 3], (1, 2), 0, 255)
    data = tf.io.encode_jpeg(tf.cast(tf.image.resize(rough, (480, 640), "bicubic"), tf.uint8))
    paths = [folder / f"{number}.jpg" for number in range(count)]
    for path in paths:
        path.write_bytes(data.numpy())
    return [str(path) for path in paths]


def records(folder: Path, paths: list[str]) -> str:
    import tensorflow as tf

    file = str(folder / "pictures.tfrecord")
    with tf.io.TFRecordWriter(file) as writer:
        for path in paths:
            writer.write(Path(path).read_bytes())
    return file


def pipelines(paths: list[str], file: str) -> dict[str, Any]:
    import tensorflow as tf

    def load(path: Any) -> Any:
        return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)

    def decode(record: Any) -> Any:
        return tf.io.decode_jpeg(record, channels=3)

    auto = tf.data.AUTOTUNE
    files = tf.data.Dataset.from_tensor_slices(paths)
    return {
        "files, map, batch": files.map(load, auto).batch(32).prefetch(2),
        "files, shuffle, map, batch": files.shuffle(len(paths))
        .map(load, auto)
        .batch(32)
        .prefetch(2),
        "TFRecord, map, batch": tf.data.TFRecordDataset(file)
        .map(decode, auto)
        .batch(32)
        .prefetch(2),
    }


def once(dataset: Any) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in dataset:
        pass
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pictures", type=int, default=2000)
    asked = parser.parse_args()
    import outlive

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = pictures(folder, asked.pictures)
        file = records(folder, paths)
        print(f"load {os.getloadavg()[0]:.1f}, {asked.pictures} pictures, {asked.rounds} rounds")
        for title, plain in pipelines(paths, file).items():
            skipping = outlive.skip_bad(plain, log=folder / "bad.jsonl")
            once(plain), once(skipping)
            pairs = [(once(plain), once(skipping)) for _ in range(asked.rounds)]
            bare = statistics.median(before[0] for before, _ in pairs) / len(paths) * 1e6
            for what, place in (("CPU", 0), ("wall", 1)):
                ratios = sorted(after[place] / before[place] for before, after in pairs)
                middle = statistics.median(ratios)
                quarter = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
                print(
                    f"{title:28} {what:4} skip_bad / plain {middle:.3f} (quartiles {quarter[0]:.2f} to {quarter[1]:.2f})"
                    + (f"  plain {bare:.0f} µs" if not place else "")
                )
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
