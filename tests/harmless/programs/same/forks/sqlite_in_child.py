"""A data base that the child opens anew."""

import os
import sqlite3

connection = sqlite3.connect("a.db")
connection.execute("create table t (x)")
connection.commit()
connection.close()
child = os.fork()
if child == 0:
    with sqlite3.connect("a.db") as own:
        own.execute("insert into t values (5)")
    own.close()
    os._exit(0)
os.waitpid(child, 0)
print(sqlite3.connect("a.db").execute("select x from t").fetchall())
os.remove("a.db")
