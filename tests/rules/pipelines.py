"""Pipelines of tf.data in other shapes: aliases, names on the way, branches, methods of a class, numbers that are worked out."""

import functools

import tensorflow.compat.v1 as tf1
from tensorflow import data, image, io
from tensorflow.data import AUTOTUNE, Dataset, TFRecordDataset

BATCH = 8 * 4
DEPTH = int(1e3)


def load(path, size):
    return image.resize(io.decode_png(io.read_file(path)), size)  # expect: unguarded-decode possible


def parse(record):
    return io.parse_single_example(record, {})


def flip(picture, label):
    return image.random_flip_left_right(picture), label


small = functools.partial(load, size=(64, 64))
names = Dataset.list_files("*.png").shuffle(100_000)
photos = names.map(small, num_parallel_calls=2**7)  # expect: too-many-parallel-calls  # expect: unprotected-file-map possible
photos = photos.batch(BATCH)
photos = photos.prefetch(DEPTH)  # expect: deep-prefetch
photos = photos.prefetch(AUTOTUNE).prefetch(2).prefetch(-1)

records = (
    tf1.data.TFRecordDataset("a.tfrecord")
    .map(parse)
    .shuffle(5_000)
    .repeat()
    .batch(BATCH)
    .prefetch(  # expect: deep-prefetch
        buffer_size=BATCH,
    )
)

endless = data.Dataset.range(3).repeat(-1).map(lambda x: x)
endless = endless.cache()  # expect: endless-cache
ends = data.Dataset.range(3).repeat(5).cache()
ends_too = data.Dataset.range(3).repeat().take(100).cache()
to_disk = names.map(small).cache("here")  # expect: unprotected-file-map possible


def prepare(ds: Dataset, training: bool):
    ds = ds.map(lambda path: small(path))  # expect: unprotected-file-map possible
    if training:
        ds = ds.repeat()
    ds = ds.cache()  # expect: cache-of-pictures
    ds = ds.map(flip)
    return ds.batch(2048)  # expect: oversized-batch


def frozen(pairs):
    pairs = pairs.map(flip).prefetch(1)
    return pairs.cache()  # expect: cache-after-augmentation


class Reader:
    def __init__(self, files):
        self.ds = TFRecordDataset(files)

    def decoded(self):
        return self.ds.map(self.decode).shuffle(3000).batch(8)  # expect: heavy-shuffle-buffer

    def named(self):
        return self.ds.shuffle(3000).map(self.decode).batch(8)

    def decode(self, record):
        return io.decode_jpeg(parse(record))


def other_things(deck, cache):
    deck.shuffle(1_000_000)
    cache.cache()
    deck.batch(10**6)


def everything(files, records):
    loaded = Dataset.from_tensor_slices(files).map(small)  # expect: unprotected-file-map possible
    loaded = loaded.shuffle(buffer_size=len(files))  # expect: heavy-shuffle-buffer
    return loaded, Dataset.from_tensor_slices(files).shuffle(len(files)), records.shuffle(len(files))
