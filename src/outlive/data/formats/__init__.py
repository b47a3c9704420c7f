"""TFRecord, protobuf and pictures as they lie in files."""
