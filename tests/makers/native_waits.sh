# A library whose functions wait for threads of its own; with OpenMP where the compiler has it.
cc -shared -fPIC -O1 -fopenmp -o libnative_waits.so "$MAKERS/native_waits.c" -lpthread
