"""What is loaded inside a program whose pipelines are planned or bounded: standard library only at import, any CPython >= 3.9."""
