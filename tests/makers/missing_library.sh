# A library of the user's own that needs another one, which is gone when the program runs.
mkdir gone
echo 'int strength(void) { return 3; }' > blend.c
echo 'int strength(void); int blend(void) { return strength(); }' > filter.c
cc -shared -fPIC -o gone/libblend.so.2 -Wl,-soname,libblend.so.2 blend.c
cc -shared -fPIC -o libfilter.so filter.c gone/libblend.so.2
mkdir kept && cp gone/libblend.so.2 kept/ && rm -r gone
