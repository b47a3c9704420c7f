"""What is loaded in the watched program: standard library only, any CPython from 3.9 on."""
