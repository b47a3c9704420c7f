"""A name or an argument of older Keras that Keras 3 does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

METHODS = {
    "predict_classes": "Write np.argmax(model.predict(x), axis=-1), or model.predict(x) > 0.5 for a single unit.",
    "predict_proba": "Write model.predict(x).", "fit_generator": "Write model.fit(generator).",
    "evaluate_generator": "Write model.evaluate(generator).", "predict_generator": "Write model.predict(generator).",
    "load": "Write keras.models.load_model(path).",
}  # fmt: skip
#: Arguments by what they were given to, and what they are called now.
OF_OPTIMIZERS = {"lr": "learning_rate"}
OF_LAYERS = {
    "init": "kernel_initializer", "border_mode": "padding", "subsample": "strides", "nb_filter": "filters", "nb_row": "kernel_size",
    "W_regularizer": "kernel_regularizer",
}  # fmt: skip
OF_FIT = {
    "nb_epoch": "epochs",
    "nb_worker": "workers",
    "show_accuracy": "metrics of compile",
    "samples_per_epoch": "steps_per_epoch",
}
OLD = frozenset(OF_OPTIMIZERS) | frozenset(OF_LAYERS) | frozenset(OF_FIT)
MODULES = (
    "keras.layers.core", "keras.layers.convolutional", "keras.layers.normalization", "keras.layers.pooling", "keras.layers.merge",
    "keras.layers.recurrent", "keras.layers.embeddings", "keras.layers.advanced_activations", "keras.layers.wrappers",
    "keras.utils.np_utils", "keras.engine", "keras.objectives", "keras.backend.tensorflow_backend",
)  # fmt: skip
#: Who asks for the version has thought of both; and what is built on Keras 2 runs with it (`tf_keras`, TF_USE_LEGACY_KERAS).
ASKING = (
    "__version__", "tf_keras", "TF_USE_LEGACY_KERAS", "keras.src", "version_utils", "transformers", "tensorflow_hub", "tensorflow_models",
    "tensorflow_model_optimization", "tensorflow_addons", "object_detection", "tensorflow_probability",
)  # fmt: skip
MODELS = ("keras.Sequential", "keras.Model", "keras.models.Sequential", "keras.models.Model", "keras.models.load_model")  # fmt: skip


@rule(
    "R661",
    since="0.2",
    prevents=("uncaught-exception",),
)
def removed_in_keras_3(source: Source) -> Iterator[Finding]:
    """A method, a module or an argument is used that Keras 3, which comes with TensorFlow since 2.16, does not have.

    ## Why it is bad
    The line ends with `AttributeError`, `ModuleNotFoundError` or "Unrecognized keyword arguments". Programs written for Keras 1 and 2 are full of such
    names.

    ## Bad
        model = keras.Sequential([keras.layers.Dense(3)])
        print(model.predict_classes(np.zeros([1, 4])))

    ## Good
        model = keras.Sequential([keras.layers.Dense(3)])
        print(np.argmax(model.predict_on_batch(np.zeros([1, 4])), axis=-1))
    """
    if any(word in source.text for word in ASKING):
        return
    for node, says, fix in (*_methods(source), *_arguments(source), *_modules(source)):
        if not source.is_caught(node):
            yield Finding(
                f"Keras 3 has no {says}: this line ends with an error.",
                remedies=(Remedy(fix),),
                where=source.place(node),
            )


def _methods(source: Source) -> Iterator[tuple[ast.AST, str, str]]:
    for call in source.methods(*METHODS):
        assert isinstance(call.func, ast.Attribute)
        made = source.values.made_by(call.func.value)
        if made in MODELS:
            yield call, f"`{call.func.attr}` of a model", METHODS[call.func.attr]


def _arguments(source: Source) -> Iterator[tuple[ast.AST, str, str]]:
    for call in source.every(ast.Call):
        if not any(word.arg in OLD for word in call.keywords):
            continue
        called = source.called(call.func)
        names = (
            OF_OPTIMIZERS
            if called.startswith("keras.optimizers.")
            else OF_LAYERS
            if called.startswith("keras.layers.")
            else {}
        )
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "fit"
            and source.values.made_by(call.func.value) in MODELS
        ):
            names = OF_FIT
        if called.startswith(
            ("keras.optimizers.schedules.", "keras.optimizers.legacy.")
        ) or not _is_new(source, call):
            continue
        for word in call.keywords:
            if word.arg in names:
                yield call, f"argument `{word.arg}` here", f"Write {names[word.arg]} instead."


def _is_new(source: Source, call: ast.Call) -> bool:
    """Whether a function is called as Keras and tf.keras are, and not through tf.compat.v1, which keeps Keras 2."""
    return "compat.v1" not in source.names.written(call.func)


def _modules(source: Source) -> Iterator[tuple[ast.AST, str, str]]:
    for statement in source.tree.imports:
        base = (
            statement.module or ""
            if isinstance(statement, ast.ImportFrom) and not statement.level
            else ""
        )
        names = (
            [base]
            if base
            else [item.name for item in statement.names if isinstance(statement, ast.Import)]
        )
        for name in names:
            plain = name.removeprefix("tensorflow.")
            if plain in MODULES or plain.startswith("keras.engine."):
                yield (
                    statement,
                    f"module `{name}`",
                    "Import from keras.layers, keras.utils or keras.losses.",
                )
