"""Bad pictures are caught, counted and skipped."""
# expect: nothing

import numpy as np
import tensorflow as tf

for n in range(6):
    data = tf.io.encode_jpeg(np.full((16, 16, 3), n, np.uint8)).numpy()
    with open(f"{n}.jpg", "wb") as f:
        f.write(data[:60] if n % 3 == 2 else data)


def load(path):
    try:
        return tf.io.decode_jpeg(tf.io.read_file(path))
    except tf.errors.InvalidArgumentError as error:
        print("skipped", path, error.message[:50])
        return None


loaded = [picture for picture in (load(f"{n}.jpg") for n in range(6)) if picture is not None]
print("loaded", len(loaded))
