"""Files of structured data."""

import csv
import json

json.dump({"a": [1, 2, None]}, open("a.json", "w"))
with open("a.csv", "w", newline="") as file:
    csv.writer(file).writerows([[1, "x,y"], [2, 'q"q']])
print(json.load(open("a.json")), open("a.csv").read())
