# Write to stdout and stderr in turns.
n=0
while [ $n -lt 500 ]; do
    echo o$n
    echo e$n >&2
    n=$((n + 1))
done
