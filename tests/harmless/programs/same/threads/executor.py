"""A pool of threads: results, errors, names, order of the end."""

import concurrent.futures
import threading

with concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
    print(
        list(pool.map(lambda n: n * n, range(10))),
        pool.submit(lambda: threading.current_thread().name.split("_")[0]).result(),
    )
    future = pool.submit(int, "x")
    print(repr(future.exception()), future.done(), future.cancelled(), future.cancel())
    try:
        future.result()
    except ValueError as error:
        print(error, [frame for frame in range(1)])
