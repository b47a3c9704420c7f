"""A run for those who watch many: a file that Prometheus's node_exporter reads, and events for OpenTelemetry.

All of it happens in the supervisor, or in a child of it when the run is over; nothing is loaded into the program, and nothing at all
unless it is asked for (`--metrics`, `--otel`).
"""
