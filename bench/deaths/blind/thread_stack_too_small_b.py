"""The parser of nested annotations runs in a thread with the smallest stack there is."""
# expect: thread-stack-too-small

import json
import threading


def nested(depth):
    return '{"children": [' * depth + '{"label": "leaf"}' + "]}" * depth


class AnnotationReader(threading.Thread):
    def __init__(self, text):
        super().__init__(name="annotations")
        self.text = text
        self.tree = None

    def run(self):
        self.tree = json.loads(self.text)  # <- here


def depth_of(tree):
    depth = 0
    while tree.get("children"):
        tree, depth = tree["children"][0], depth + 1
    return depth


def read(texts):
    threading.stack_size(32 * 1024)  # <- here
    readers = [AnnotationReader(text) for text in texts]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return [depth_of(reader.tree) for reader in readers]


print(read([nested(5), nested(20), nested(300)]))
