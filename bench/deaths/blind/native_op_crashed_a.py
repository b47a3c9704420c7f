"""A layer with its own gradient scales boxes by a width that is zero; the kernel of the gradient gets NaN."""
# expect: native-op-crashed

import tensorflow as tf


class RoiPooling:
    def __init__(self, image_size):
        self.image_size = tf.constant(image_size, tf.float32)

    def normalise(self, boxes):
        return boxes / self.image_size

    def box_gradient(self, image, boxes, upstream):
        return tf.raw_ops.CropAndResizeGradBoxes(  # <- here
            grads=upstream,
            image=image,
            boxes=self.normalise(boxes),
            box_ind=tf.zeros([len(boxes)], tf.int32),
        )


def refine(boxes, image, steps):
    pooling = RoiPooling([0.0, 16.0, 0.0, 16.0])
    for _ in range(steps):
        gradient = pooling.box_gradient(image, boxes, tf.ones([2, 4, 4, 3]))  # <- here
        boxes -= 0.1 * gradient
    return boxes


start = tf.constant([[0.0, 0.0, 8.0, 8.0], [0.0, 4.0, 12.0, 16.0]])
print(refine(start, tf.random.uniform([1, 16, 16, 3]), 3))
