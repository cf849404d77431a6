"""What is kept of what was said and done."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection


class MetricsSettings(SettingsSection, frozen=True, kw_only=True):
    """The metrics that are stored; they contain no words of the user."""

    textfile: str = ""
    """Path of a Prometheus text file, for node_exporter's textfile collector; "" for none."""
    keep_utterances: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000
    """Number of utterances whose stage times are kept."""


class TracesSettings(SettingsSection, frozen=True, kw_only=True):
    """Where the time of each utterance went, as OpenTelemetry tells it; no words of the user."""

    keep: bool = False
    """Whether traces are kept, 8 MB at most, for `assistant trace`; they tell when somebody spoke
    and what kind of command it was."""
    endpoint: str = ""
    """Collector on the local network to which the bridge service sends them by OTLP over HTTP, such
    as "http://192.168.1.5:4318/v1/traces"; "" for none."""
    ca_file: str = ""
    """File (PEM) of the authority that signed its certificate, for https; "" for the system's."""


class AlertsSettings(SettingsSection, frozen=True, kw_only=True):
    """What happens where a stage becomes slow, fails, answers worse, or has too much to do."""

    act: bool = True
    """Whether it then takes its simpler path for a while, such as answers without the generator."""
    rest_s: Annotated[float, Meta(ge=1, le=3600)] = 60.0
    """Seconds for which it does at first; twice as long each time that the trouble is back soon."""


class RecordingsSettings(SettingsSection, frozen=True, kw_only=True):
    """What is kept of what is said, after `assistant record on`; nothing before."""

    most_days: Annotated[int, Meta(ge=1, le=3650)] = 30
    """Days after which a recording is removed."""
    most_megabytes: Annotated[int, Meta(ge=1, le=100_000)] = 200
    """Megabytes beyond which the oldest recordings are removed."""


class LogSettings(SettingsSection, frozen=True, kw_only=True):
    """Logging."""

    level: Annotated[str, Meta(pattern="^(debug|info|warning|error)$")] = "info"
    """"debug", "info", "warning" or "error"; only "debug" logs the user's words."""
