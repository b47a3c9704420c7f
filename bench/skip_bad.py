"""What `outlive.skip_bad` costs on clean data: the same pipeline with and without it, alternated; CPU time and wall-clock time per element.

Beside it the same pipeline a second time, which shows what the machine's noise alone does, and with `ignore_errors` before the batch.

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


def pipelines(paths: list[str], file: str) -> dict[str, tuple[Any, Any]]:
    """By title: the pipeline, and the one that only drops errors before the batch, names nothing and gives up damaged files."""
    import tensorflow as tf

    def load(path: Any) -> Any:
        return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)

    def decode(record: Any) -> Any:
        return tf.io.decode_jpeg(record, channels=3)

    auto = tf.data.AUTOTUNE
    files = tf.data.Dataset.from_tensor_slices(paths)
    mapped = {
        "files, map, batch": files.map(load, auto),
        "files, shuffle, map, batch": files.shuffle(len(paths)).map(load, auto),
        "TFRecord, map, batch": tf.data.TFRecordDataset(file).map(decode, auto),
    }
    return {
        title: tuple(one.batch(32).prefetch(2) for one in (flow, flow.ignore_errors()))
        for title, flow in mapped.items()
    }


def once(dataset: Any) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in dataset:
        pass
    return time.process_time() - cpu, time.perf_counter() - wall


def alternated(datasets: dict[str, Any], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Each in turn, the first one another each time: what the machine does besides meets all alike."""
    names = list(datasets)
    for dataset in datasets.values():
        once(dataset)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(once(datasets[name]))
    return taken


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
        for title, (plain, dropping) in pipelines(paths, file).items():
            datasets = {
                "plain": plain,
                "plain once more": plain.prefetch(1),
                "ignore_errors": dropping,
                "skip_bad": outlive.skip_bad(plain, log=folder / "bad.jsonl"),
            }
            taken = alternated(datasets, asked.rounds)
            bare = statistics.median(cpu for cpu, _ in taken["plain"]) / len(paths) * 1e6
            print(f"{title}: plain {bare:.0f} µs of CPU time per picture")
            for what in list(datasets)[1:]:
                print(f"    {what:16}" + "".join(told(taken, what, place) for place in (0, 1)))
        print(f"load {os.getloadavg()[0]:.1f}")


def told(taken: dict[str, list[tuple[float, float]]], what: str, place: int) -> str:
    pairs = zip(taken["plain"], taken[what], strict=True)
    ratios = sorted(after[place] / before[place] for before, after in pairs)
    quarter = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    least = min(one[place] for one in taken[what]) / min(one[place] for one in taken["plain"])
    return (
        f"  {('CPU', 'wall')[place]} {statistics.median(ratios):.3f} of plain"
        f" (quartiles {quarter[0]:.2f} to {quarter[1]:.2f}; of the fastest rounds {least:.3f})"
    )


if __name__ == "__main__":
    main()
