"""Data bases in files."""

import sqlite3

with sqlite3.connect("data.db") as connection:
    connection.execute("create table t (a)")
    connection.executemany("insert into t values (?)", [(n,) for n in range(10)])
print(connection.execute("select sum(a) from t").fetchone())
connection.close()
import os

os.remove("data.db")
