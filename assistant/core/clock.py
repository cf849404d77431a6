"""The clock that times everything, and time zones."""

from __future__ import annotations

import os
import time
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.core.errors import ConfigError

LOCALTIME = "/etc/localtime"


def boottime_s() -> float:
    """Seconds of CLOCK_BOOTTIME, which never jumps and keeps running during suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def time_zone(name: str) -> tzinfo:
    """The zone of an IANA name, the system's for ""; raises `ConfigError` for an unknown name."""
    if not name:
        return system_zone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = f'home.time_zone: "{name}" is no zone; write one such as "Europe/Zurich"'
        raise ConfigError("config.time_zone", message) from error


def system_zone() -> tzinfo:
    """The system's time zone with its rules, from TZ or /etc/localtime.

    Where that gives no zone, return the current offset, which may be wrong at another date.
    """
    name = os.environ.get("TZ", LOCALTIME).removeprefix(":")
    try:
        if not name.startswith("/"):
            return ZoneInfo(name)
        with open(name, "rb") as file:
            return ZoneInfo.from_file(file)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return timezone(timedelta(seconds=time.localtime().tm_gmtoff))
