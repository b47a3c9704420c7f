"""A small detector with the signature of the Object Detection API, made once: a bright spot is an object; some heights are deadly.

    python detectors.py FOLDER [NAME...]

makes ``any`` (any number of pictures at once), ``threes`` (three at once, no more and no less), ``anchored`` (one at a time, and it can be converted), ``classifier`` (no detector at all), and when asked for ``tough``
and ``frail``, which survive to be made smaller, or do not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

#: Pictures of these heights kill the model: inside a kernel, by memory, by never ending, by a CHECK.
SEGFAULTS, EATS, HANGS, ABORTS = 101, 103, 107, 109

#: With pictures of this height its boxes are no numbers.
DIVERGES = 113

#: With pictures of this height it raises an error that holds two secrets: one has a shape, one is known only by its value.
LEAKS = 127
TOKEN = "ghp_" + "a1B2" * 9
PASSWORD = "correct_horse_battery"

EATEN_FLOATS = 4_000_000_000


def make(folder: Path, names: list[str]) -> None:
    import tensorflow as tf

    def die_of(height: Any) -> Any:
        # All of it depends on the picture: what is constant, TensorFlow works out beforehand, and dies with every picture.
        def segfault() -> Any:
            splits = tf.stack([0, 10, tf.cast(height, tf.int64) * 400_000])
            rows = tf.RaggedTensor.from_row_splits(tf.range(1000.0), splits, validate=False)
            return tf.reduce_sum(rows.to_tensor())

        def fail_a_check() -> Any:
            wide = tf.reshape(tf.cast(tf.range(64 * height // height), tf.float32), [1, 8, 8, 1])
            pooled, places = tf.nn.max_pool_with_argmax(wide, 2, 2, "VALID")
            return tf.reduce_sum(
                tf.raw_ops.MaxPoolGradWithArgmax(
                    input=wide,
                    grad=pooled,
                    argmax=places * 1000,
                    ksize=[1, 2, 2, 1],
                    strides=[1, 2, 2, 1],
                    padding="VALID",
                )
            )

        def eat() -> Any:
            filled = tf.fill([tf.cast(height, tf.int64) * (EATEN_FLOATS // EATS)], 1.0)
            return tf.reduce_sum(filled)

        def hang() -> Any:
            start = tf.cast(height, tf.float32)
            return tf.while_loop(lambda at: at > 0.0, lambda at: at * 1.0001, [start])[0]

        def leak() -> Any:
            with tf.name_scope(f"refused/{TOKEN}/{PASSWORD}"):
                told = tf.debugging.Assert(height < 0, [f"refused {TOKEN} and {PASSWORD}"])
                with tf.control_dependencies([told]):
                    return tf.constant(0.0)

        return tf.case(
            [
                (tf.equal(height, SEGFAULTS), segfault),
                (tf.equal(height, ABORTS), fail_a_check),
                (tf.equal(height, EATS), eat),
                (tf.equal(height, HANGS), hang),
                (tf.equal(height, LEAKS), leak),
                (tf.equal(height, DIVERGES), lambda: tf.constant(float("nan"))),
            ],
            default=lambda: tf.constant(0.0),
        )

    class Detector(tf.Module):  # type: ignore[misc]
        def __call__(self, pictures: Any) -> dict[str, Any]:
            died = die_of(tf.shape(pictures)[1])
            bright = tf.reduce_mean(tf.cast(pictures, tf.float32), axis=[1, 2, 3]) / 255.0
            count = tf.shape(pictures)[0]
            box = tf.constant([[[0.1, 0.2, 0.5, 0.6], [0.0, 0.0, 1.0, 1.0]]])
            return {
                "detection_boxes": tf.tile(box, [count, 1, 1]) + died,
                "detection_scores": tf.stack([0.5 + bright / 2, bright / 2], axis=1),
                "detection_classes": tf.tile(tf.constant([[1.0, 2.0]]), [count, 1]),
                "num_detections": tf.fill([count], 2.0),
            }

    def signature(batch: int | None) -> Any:
        return tf.function(Detector()).get_concrete_function(
            tf.TensorSpec([batch, None, None, 3], tf.uint8, name="input_tensor")
        )

    class Classifier(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32, name="features")])
        def __call__(self, features: Any) -> dict[str, Any]:
            return {"logits": features * 2.0}

    class Anchored(tf.Module):  # type: ignore[misc]
        """Ends as many detectors do: anchors with scores, and a suppression that LiteRT does not have."""

        @tf.function(
            input_signature=[tf.TensorSpec([1, None, None, 3], tf.uint8, name="input_tensor")]
        )
        def __call__(self, pictures: Any) -> dict[str, Any]:
            small = tf.image.resize(tf.cast(pictures, tf.float32), [4, 4]) / 255.0
            scores = tf.nn.sigmoid(tf.reshape(small, [1, 16, 3]) * 6.0 - 3.0)
            corners = tf.stack(tf.meshgrid(tf.range(4.0), tf.range(4.0), indexing="ij"), axis=-1)
            corners = tf.reshape(corners, [1, 16, 1, 2]) / 4.0
            boxes = tf.concat([corners - 0.02, corners + 0.3], axis=-1)
            found = tf.image.combined_non_max_suppression(boxes, scores, 20, 20, 0.3, 0.05)
            return {
                "detection_boxes": found.nmsed_boxes,
                "detection_scores": found.nmsed_scores,
                "detection_classes": found.nmsed_classes + 1.0,
                "num_detections": tf.cast(found.valid_detections, tf.float32),
            }

    class Convolved(tf.Module):  # type: ignore[misc]
        """Two convolutions before the anchors. Half of the weights hardly matter, or all of them do: then it does not survive to be pruned."""

        def __init__(self, tough: bool) -> None:
            noise = tf.random.Generator.from_seed(7)
            self.first = tf.Variable(noise.uniform([3, 3, 3, 16]) / 27.0)
            weights = noise.uniform([3, 3, 16, 16], 0.5, 1.0) / 144.0
            # Half of what each output is made of counts for nothing: that half is pruned.
            heavy = tf.cast(tf.range(16) % 2 == 0, tf.float32)[:, None]
            self.second = tf.Variable(weights * (heavy + 0.001 * (1 - heavy)) if tough else weights)
            self.gain = 12.0 if tough else 8.0

        @tf.function(
            input_signature=[tf.TensorSpec([1, None, None, 3], tf.uint8, name="input_tensor")]
        )
        def __call__(self, pictures: Any) -> dict[str, Any]:
            small = tf.image.resize(tf.cast(pictures, tf.float32), [16, 16]) / 255.0
            seen = tf.nn.relu6(tf.nn.conv2d(small, self.first, 2, "SAME"))
            seen = tf.nn.relu6(tf.nn.conv2d(seen, self.second, 2, "SAME"))
            scores = tf.nn.sigmoid(tf.reshape(seen[..., :6:2], [1, 16, 3]) * self.gain - 1.0)
            corners = tf.stack(tf.meshgrid(tf.range(4.0), tf.range(4.0), indexing="ij"), axis=-1)
            corners = tf.reshape(corners, [1, 16, 1, 2]) / 4.0
            boxes = tf.concat([corners, corners + 0.25], axis=-1)
            found = tf.image.combined_non_max_suppression(boxes, scores, 16, 48, 0.3, 0.05)
            return {
                "detection_boxes": found.nmsed_boxes,
                "detection_scores": found.nmsed_scores,
                "detection_classes": found.nmsed_classes + 1.0,
                "num_detections": tf.cast(found.valid_detections, tf.float32),
            }

    for name in names:
        if name in ("tough", "frail"):
            module = Convolved(name == "tough")
            chosen = module.__call__.get_concrete_function()
        elif name == "anchored":
            module = Anchored()
            chosen = module.__call__.get_concrete_function()
        elif name == "classifier":
            module = Classifier()
            chosen = module.__call__.get_concrete_function()
        else:
            module, chosen = Detector(), signature(3 if name == "threes" else None)
        tf.saved_model.save(module, str(folder / name), signatures={"serving_default": chosen})


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2:] or ["any", "threes", "anchored", "classifier"])
