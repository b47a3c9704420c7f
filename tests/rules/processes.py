"""Threads, processes, sessions, files and exits."""

import multiprocessing as mp
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from os import _exit as leave
from sys import setrecursionlimit

import tensorflow as tf
import tf_keras



def work(item):
    return item


def embed(item):
    return tf.io.read_file(item)


def early(items):
    tf.config.set_soft_device_placement(True)
    mp.Pool(2).map(work, items)  # expect: pool-without-spawn possible


def pools(items, files):
    table = tf.zeros(3)
    mp.Process(target=embed).start()  # expect: pool-without-spawn
    mp.get_context("spawn").Pool(2).map(work, items)
    with ThreadPool(4) as threads:
        threads.apply_async(work, items)  # expect: future-never-asked
        threads.apply_async(work, items, error_callback=print)
        threads.map(work, items)
    with ProcessPoolExecutor(mp_context=mp.get_context("spawn")) as executor:
        executor.map(work, items)  # expect: future-never-asked
        done = list(executor.map(work, items))
    with ProcessPoolExecutor() as executor:  # expect: pool-without-spawn
        future = executor.submit(work, done)
    with ThreadPoolExecutor() as executor:
        executor.submit(work, 1)  # expect: future-never-asked
        executor.submit(work, 2).add_done_callback(print)
    items.map(work)
    return future


def quiet(queue):
    while True:
        try:
            queue.put(work(1))
        except Exception:  # expect: silent-thread
            continue


def honest(queue):
    try:
        queue.put(work(1))
    except Exception as error:
        queue.put(error)
    try:
        queue.close()
    except OSError:
        pass


def start(queue):
    threading.stack_size(64 * 1024)  # expect: shrunken-thread-stack
    threading.stack_size(0)
    threading.Thread(target=quiet, args=(queue,)).start()
    threading.Thread(target=honest, args=(queue,)).start()


def serve(queue):
    session = tf.compat.v1.Session()
    threading.Thread(target=work, args=(session, queue)).start()  # expect: session-closed-under-threads
    session.close()
    session.run(queue)  # expect: session-used-after-close


def patient(queue):
    session = tf.compat.v1.Session()
    worker = threading.Thread(target=work, args=(session, queue))
    worker.start()
    worker.join()
    if queue:
        session.close()
        session = tf.compat.v1.Session()
    session.run(queue)
    session.close()


def writers(runs, videos):
    kept = []
    for run in runs:
        writer = tf.summary.create_file_writer(run)  # expect: file-left-open-in-loop
        with writer.as_default():
            tf.summary.scalar("x", 1, 1)
        other = tf.io.TFRecordWriter(run)
        other.write(b"")
        other.close()
        with tf.io.TFRecordWriter(run) as third:
            third.write(b"")
        with open(run) as file:
            file.read()
        text = open(run).read()
        kept.append(text)
        kept.append(tf.io.gfile.GFile(run))  # expect: file-left-open-in-loop
    for run in ["a", "b"]:
        writer = tf.summary.create_file_writer(run)
    return kept


def ending(loss):
    setrecursionlimit(10**6)  # expect: raised-recursion-limit
    setrecursionlimit(5000)
    if loss:
        leave(3)  # expect: exit-without-cleanup
    os.abort()


def watchdog(parent):
    os._exit(1)  # expect: exit-without-cleanup possible


threading.Thread(target=watchdog, args=(1,), daemon=True).start()


class Poller(threading.Thread):
    def run(self):
        os._exit(1)  # expect: exit-without-cleanup possible

    def stop(self):
        os._exit(1)  # expect: exit-without-cleanup


def loading(path, model):
    tf_keras.models.load_model(path, safe_mode=False)  # expect: unsafe-deserialisation
    tf_keras.models.load_model(path, safe_mode=True)
    model.save("mine.keras")
    tf_keras.models.load_model("mine.keras", safe_mode=False)
    return pickle.load(open(path, "rb"))  # expect: unsafe-deserialisation possible


def closure(graph):
    session = tf.compat.v1.Session()

    def run():
        session.run(graph)

    worker = threading.Thread(target=run)  # expect: session-closed-under-threads
    worker.start()
    session.close()
    worker.join()


def handles(paths):
    kept, rows = [], []
    for path in paths:
        file = open(path)  # expect: file-left-open-in-loop
        kept.append(file)
        rows.append(file.read())
        other = open(path)
        rows.append(other.read())


def threads(items, server):
    for item in range(500):
        threading.Thread(target=work, args=(item,)).start()  # expect: thread-for-each-item
    for item in range(8):
        threading.Thread(target=work, args=(item,)).start()
    while True:
        threading.Thread(target=work, args=(server.accept(),)).start()  # expect: thread-for-each-item possible
    for item in range(500):
        one = threading.Thread(target=work, args=(item,))
        one.start()
        one.join()


def saving(manager):
    for _ in range(1000):
        manager.save()


def ragged(values, splits, checked, checkpoint):
    tf.RaggedTensor.from_row_splits(values, values.row_splits, validate=False)
    tf.RaggedTensor.from_row_lengths(values, values.row_lengths(), validate=False)
    tf.RaggedTensor.from_row_splits(values, splits, validate=False)  # expect: unvalidated-ragged
    tf.RaggedTensor.from_row_splits(values, splits, validate=checked)
    tf.train.CheckpointManager(checkpoint, "x", max_to_keep=None)  # expect: checkpoints-never-deleted
    tf.compat.v1.train.Saver(max_to_keep=0)  # expect: checkpoints-never-deleted
    tf.train.CheckpointManager(checkpoint, "x", max_to_keep=100)  # expect: checkpoints-never-deleted possible
    tf.train.CheckpointManager(checkpoint, "x", 3)
