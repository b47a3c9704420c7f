# Wait for input that does not come.
echo "<ready>"
exec cat
