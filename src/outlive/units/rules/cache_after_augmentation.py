"""A cache of what should be different each time."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

RANDOM = (
    "tf.image.random_brightness", "tf.image.random_contrast", "tf.image.random_crop", "tf.image.random_flip_left_right",
    "tf.image.random_flip_up_down", "tf.image.random_hue", "tf.image.random_jpeg_quality", "tf.image.random_saturation",
    "tf.image.stateless_random_brightness", "tf.image.stateless_random_contrast", "tf.image.stateless_random_crop",
    "tf.image.stateless_random_flip_left_right", "tf.image.stateless_random_flip_up_down",
    "tf.image.stateless_random_hue", "tf.image.stateless_random_saturation", "tf.image.random_crop",
    "keras.layers.RandomFlip", "keras.layers.RandomRotation", "keras.layers.RandomZoom", "keras.layers.RandomCrop",
    "keras.layers.RandomContrast", "keras.layers.RandomTranslation",
)  # fmt: skip


@rule("R104", since="0.1", needs=("cache",), prevents=("cache-in-memory",))
def cache_after_augmentation(source: Source) -> Iterator[Finding]:
    """A `cache` keeps pictures after they were changed at random.

    ## Why it is bad
    The random change is made once and then repeated from the cache in every epoch, so the augmentation does nothing;
    and what is kept is the decoded picture in its largest form.

    ## Bad
        def augment(photo):
            return tf.image.random_flip_left_right(photo)

        photos = tf.data.Dataset.from_tensor_slices(small).map(augment).cache().batch(32)

    ## Good
        def augment(photo):
            return tf.image.random_flip_left_right(photo)

        photos = tf.data.Dataset.from_tensor_slices(small).cache().map(augment).batch(32)
    """
    for call in source.methods("cache"):
        for stage in source.values.stages(call)[:-1]:
            if stage.name != "map" or not stage.call.args:
                continue
            if source.values.reaches(source.names.definition(stage.call.args[0]), RANDOM):
                yield Finding(
                    "`cache` stores randomly augmented pictures: every epoch gets the same ones.",
                    remedies=(Remedy("Put cache() before the map that augments them."),),
                    where=source.place(call),
                )
                break
