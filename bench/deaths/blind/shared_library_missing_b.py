"""A Python extension module links to a library whose package was removed; it is imported late, in a function."""
# expect: shared-library-missing

import pathlib
import subprocess
import sys

import tensorflow as tf

BUILD = "gcc -shared -fPIC -o libturbotext.so.4 t.c && gcc -shared -fPIC -o fasttok.so x.c -L. -l:libturbotext.so.4"


def prepare():
    pathlib.Path("t.c").write_text("int turbo(void) { return 1; }")
    pathlib.Path("x.c").write_text(
        "int turbo(void); void *PyInit_fasttok(void) { turbo(); return 0; }"
    )
    subprocess.run(BUILD, shell=True, check=True)
    pathlib.Path("libturbotext.so.4").unlink()
    sys.path.insert(0, ".")


def tokenise(texts):
    import fasttok  # <- here

    return [fasttok.split(text) for text in texts]


def main():
    prepare()
    lengths = tf.constant([len(tokens) for tokens in tokenise(["one two", "three"])])
    print(tf.reduce_max(lengths))


main()
