"""Print until the reader is gone."""

while True:
    print("line")
