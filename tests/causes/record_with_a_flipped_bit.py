"""One bit of one record of one of four files; they are read interleaved, and the error names an offset without a file."""
# expect: corrupt-record PROVEN
# example: yes
# ending: 1
# needs: tensorflow
# names: part-2.tfrecord

from pathlib import Path

import tensorflow as tf


def write(flip: bool) -> None:
    for part in range(4):
        with tf.io.TFRecordWriter(f"part-{part}.tfrecord") as writer:
            for number in range(20):
                writer.write(bytes([part, number]) * 50)
    if flip:
        data = bytearray(Path("part-2.tfrecord").read_bytes())
        data[7 * 116 + 40] ^= 1
        Path("part-2.tfrecord").write_bytes(data)


def run() -> None:
    names = [f"part-{part}.tfrecord" for part in range(4)]
    files = tf.data.Dataset.from_tensor_slices(names)
    records = files.interleave(  # <- here
        lambda name: tf.data.TFRecordDataset(name),  # <- here
        cycle_length=2,
        num_parallel_calls=2,
    )
    print(sum(1 for _ in records.shuffle(10).batch(4)))


def die() -> None:
    write(True)
    run()


def spare() -> None:
    write(False)
    run()
