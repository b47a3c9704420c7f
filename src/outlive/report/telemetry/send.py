"""The child that hands the events of a run to OpenTelemetry: endpoint, headers, service name are those of the OTEL_ variables.

A child, because the libraries are large, try for long, and may hang on a network: none of that is the supervisor's.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

from outlive.errors import OutliveError

#: An endpoint that is down must not hold the end of a job for the ten seconds of the standard, unless somebody says so.
TIMEOUT_SECONDS = 4
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT")
INSTALL = "pip install 'outlive[telemetry]'"


class TelemetryMissing(OutliveError):
    """OpenTelemetry is not installed."""

    exit_code = 2


def require() -> None:
    """Say how to install what is missing, without importing it."""
    from importlib.util import find_spec

    try:
        found = find_spec("opentelemetry.sdk._logs") and find_spec(
            "opentelemetry.exporter.otlp.proto.http"
        )
    except ModuleNotFoundError:
        found = None
    if not found:
        raise TelemetryMissing("--otel needs OpenTelemetry's SDK and its OTLP exporter.", INSTALL)


def send(events: list[dict[str, Any]]) -> bool:
    """All events in one request; whether they were taken."""
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    taken: list[bool] = []

    class Watched(OTLPLogExporter):  # type: ignore[misc]  # the SDK logs a failure, and tells nobody
        def export(self, batch: Any) -> Any:
            result = super().export(batch)
            taken.append(result.name == "SUCCESS")
            return result

    resource = Resource.create()
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "outlive"}))
    provider = LoggerProvider(resource=resource, shutdown_on_exit=False)
    patience = None if any(name in os.environ for name in TIMEOUTS) else TIMEOUT_SECONDS
    provider.add_log_record_processor(BatchLogRecordProcessor(Watched(timeout=patience)))
    logger = provider.get_logger("outlive")
    for event in events:
        logger.emit(
            LogRecord(
                timestamp=event["nanoseconds"],
                observed_timestamp=event["nanoseconds"],
                severity_text=event["severity"],
                severity_number=SeverityNumber[event["severity"]],
                body=event["body"],
                attributes=event["attributes"],
                event_name=event["name"],
            )
        )
    provider.force_flush()
    provider.shutdown()
    return bool(taken) and all(taken)


def main() -> int:
    """Events as JSON on stdin."""
    logging.disable(logging.CRITICAL)  # what went wrong is told in one line by who started us
    return 0 if send(json.load(sys.stdin)) else 1
