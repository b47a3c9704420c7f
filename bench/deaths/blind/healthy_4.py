"""A noisy program: it logs errors and says Killed and Segmentation fault, and ends with sys.exit(0)."""
# expect: nothing

import logging
import sys
import traceback

import tensorflow as tf

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
log = logging.getLogger("train")


def main():
    log.error("OOM when allocating tensor with shape [64, 1000, 1000] (seen yesterday)")
    log.critical("Killed")
    try:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    except tf.errors.InvalidArgumentError:
        traceback.print_exc()
    print("Segmentation fault (core dumped) is what the old version said", file=sys.stderr)
    tf.get_logger().error("loss is nan, going back one step")
    return 0


sys.exit(main())
