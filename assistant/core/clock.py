"""The one clock by which things are timed, and the zone of the one on the wall."""

from __future__ import annotations

import os
import time
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LOCALTIME = "/etc/localtime"


def boottime_s() -> float:
    """Seconds of CLOCK_BOOTTIME: it never jumps and goes on during suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def system_zone() -> tzinfo:
    """The system's time zone with its rules, by TZ or /etc/localtime.

    Where neither names a zone that is here, its offset of now, which need not be right later.
    """
    name = os.environ.get("TZ", LOCALTIME).removeprefix(":")
    try:
        if not name.startswith("/"):
            return ZoneInfo(name)
        with open(name, "rb") as file:
            return ZoneInfo.from_file(file)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return timezone(timedelta(seconds=time.localtime().tm_gmtoff))
