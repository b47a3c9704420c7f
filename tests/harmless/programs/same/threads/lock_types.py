"""Locks, conditions, semaphores, barriers."""

import threading

lock, rlock, condition, semaphore, barrier = (
    threading.Lock(),
    threading.RLock(),
    threading.Condition(),
    threading.Semaphore(2),
    threading.Barrier(2),
)
print(
    lock.acquire(),
    lock.acquire(False),
    lock.acquire(timeout=0.05),
    lock.locked(),
    type(lock).__name__,
)
print(rlock.acquire(), rlock.acquire())
with condition:
    print(condition.wait(0.05))
thread = threading.Thread(target=barrier.wait)
thread.start()
print(
    barrier.wait(20) in (0, 1),
    semaphore.acquire(),
    semaphore.acquire(),
    semaphore.acquire(blocking=False),
)
thread.join()
