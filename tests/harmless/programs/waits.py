"""Wait for input that does not come."""

print("<ready>", flush=True)
input()
