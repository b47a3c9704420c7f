"""Futures, pools, workers and children: their attributes, the ways of their errors, the signatures of their classes."""

import asyncio
import concurrent.futures
import contextlib
import faulthandler
import inspect
import io
import logging
import multiprocessing
import multiprocessing.process
import os
import subprocess
import sys
import threading
import traceback
import typing
import warnings


def bad():
    raise KeyError("bad")


def warn():
    warnings.warn("here", stacklevel=2)


def way(error):
    return [
        (os.path.basename(step.filename), step.name)
        for step in traceback.extract_tb(error.__traceback__)
    ]


def of_futures():
    future = concurrent.futures.Future()
    future.set_exception(ValueError("x"))
    print(sorted(vars(future)), future.exception(), future.done(), sorted(vars(future)))
    future = concurrent.futures.Future()
    print(future.cancel(), future.cancelled(), sorted(vars(future)))
    try:
        future.result()
    except concurrent.futures.CancelledError as error:
        print(way(error))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        future = pool.submit(bad)
        try:
            future.result()
        except KeyError as error:
            print(way(error))
        print(future.exception(), next(concurrent.futures.as_completed([future])) is future)


async def of_tasks():
    async def fails():
        raise ValueError("async")

    task = asyncio.ensure_future(fails())
    print(
        await asyncio.gather(
            asyncio.get_running_loop().run_in_executor(None, bad), return_exceptions=True
        )
    )
    try:
        await task
    except ValueError as error:
        print(way(error))


def work(queue):
    queue.put(1)
    sys.exit(4)


def of_processes():
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(
        queue.get(),
        process.join(),
        process.exitcode,
        sorted(vars(process)),
        sorted(vars(process._popen)),
    )
    process.close()
    try:
        print(process.exitcode)
    except ValueError as error:
        print(error, way(error))
    with context.Pool(1) as pool:
        try:
            pool.apply_async(bad).get()
        except KeyError as error:
            print(way(error), type(error.__cause__))
        mapped = pool.map_async(abs, [1, -2, 3])
        print(mapped.get(), sorted(vars(mapped)))
        try:
            pool.map_async(len, [1, 2, 3]).get()
        except TypeError as error:
            print(error, way(error))
    child = subprocess.Popen(["sleep", "60"])
    child.terminate()
    print(child.wait(), sorted(vars(child)), subprocess.run(["false"]))


def of_classes():
    for kind in (
        concurrent.futures.Future, subprocess.Popen, multiprocessing.process.BaseProcess,
        traceback.TracebackException, asyncio.BaseEventLoop,
    ):  # fmt: skip
        for name in dir(kind):
            function = getattr(kind, name, None)
            if inspect.isfunction(function):
                print(
                    kind.__name__,
                    name,
                    list(inspect.signature(function).parameters),
                    typing.get_type_hints(function),
                    function.__annotations__,
                )


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warn()
print([(one.filename == __file__, one.lineno) for one in caught])
of_futures()
asyncio.run(of_tasks())
of_processes()
of_classes()
text = io.StringIO()
with contextlib.redirect_stderr(text):
    thread = threading.Thread(target=bad, name="T")
    thread.start()
    thread.join()
print(text.getvalue())
logging.getLogger("x").addHandler(logging.StreamHandler(sys.stdout))
try:
    bad()
except KeyError:
    logging.getLogger("x").exception("logged")
print(
    faulthandler.disable(),
    faulthandler.is_enabled(),
    faulthandler.enable(),
    faulthandler.is_enabled(),
)
print(faulthandler.disable(), faulthandler.disable())
sys.exit(3)
