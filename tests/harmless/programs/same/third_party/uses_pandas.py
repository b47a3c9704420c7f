# needs: module pandas
# slow
"""A table is grouped and written."""

import pandas

table = pandas.DataFrame({"a": [1, 1, 2], "b": [3.0, 4.0, 5.0]})
print(table.groupby("a").sum())
table.to_csv("table.csv")
