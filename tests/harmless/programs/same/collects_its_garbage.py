"""Makes cyclic garbage in several threads: destructors and callbacks run in threads of its own, where their objects were made or may be used."""

import sqlite3
import sys
import threading
import time
import weakref

SECONDS = 1.0
known = {threading.get_ident()}
foreign = {"__del__": 0, "callback": 0, "local": 0, "sqlite": 0, "counted": 0}
stays = threading.local()
stays.mine = True


def seen(kind):
    if threading.get_ident() not in known:
        foreign[kind] += 1


class Cyclic:
    def __init__(self):
        self.me = self
        self.more = [{} for _ in range(3)]

    def __del__(self):
        seen("__del__")
        if not getattr(stays, "mine", False):
            foreign["local"] += 1


class Counted:
    def __del__(self):
        seen("counted")


class Connected:
    def __init__(self, database):
        self.me, self.database = self, database
        self.cursor = database.cursor()

    def __del__(self):
        try:
            self.cursor.execute("select 1")
        except sqlite3.ProgrammingError:  # another thread's
            foreign["sqlite"] += 1


def called(_):
    seen("callback")


def makes(until):
    stays.mine = True
    known.add(threading.get_ident())
    watched = []
    while time.monotonic() < until:
        for _ in range(20):
            one = Cyclic()
            watched.append(weakref.ref(one, called))
            held = Counted()
            del held, one
        del watched[:-2000]
        time.sleep(0)  # gives its turn away


def connects(until):
    database = sqlite3.connect(":memory:")
    while time.monotonic() < until:
        for _ in range(20):
            Connected(database)
        time.sleep(0.0001)


until = time.monotonic() + SECONDS
usual = sys.getswitchinterval()
sys.setswitchinterval(1e-6)  # threads take turns as often as they can
threads = [threading.Thread(target=makes, args=(until,)) for _ in range(2)]
for thread in threads:
    thread.start()
makes(until)
for thread in threads:
    thread.join()
sys.setswitchinterval(usual)
connects(time.monotonic() + SECONDS)  # alone: whoever collects is the one who may
print(foreign)
