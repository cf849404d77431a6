"""Cities and countries whose time people ask for, by their time zones."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_ELSEWHERE = {
    "Africa/Johannesburg": "south africa, cape town, durban, pretoria",
    "Africa/Cairo": "egypt",
    "Africa/Lagos": "nigeria",
    "Africa/Nairobi": "kenya",
    "America/Chicago": "dallas, houston, austin, minneapolis, texas",
    "America/Los_Angeles": "california, san francisco, seattle, las vegas, san diego, hollywood",
    "America/New_York": "washington, boston, miami, philadelphia, atlanta, florida, nyc, orlando",
    "America/Toronto": "montreal, ottawa",
    "America/Sao_Paulo": "rio, rio de janeiro",
    "America/Argentina/Buenos_Aires": "argentina",
    "Asia/Kolkata": "india, mumbai, delhi, new delhi, bangalore, chennai, bombay, calcutta",
    "Asia/Shanghai": "china, beijing",
    "Asia/Tokyo": "japan, osaka, kyoto",
    "Asia/Seoul": "korea, south korea",
    "Asia/Bangkok": "thailand",
    "Asia/Manila": "philippines",
    "Asia/Karachi": "pakistan",
    "Asia/Dubai": "abu dhabi, emirates",
    "Australia/Sydney": "canberra",
    "Europe/Athens": "greece, crete",
    "Europe/Berlin": "germany, munich, hamburg, frankfurt, cologne",
    "Europe/Dublin": "ireland",
    "Europe/Istanbul": "turkey",
    "Europe/Lisbon": "portugal",
    "Europe/London": "england, uk, britain, scotland, wales, edinburgh, glasgow, manchester, leeds",
    "Europe/Madrid": "spain, barcelona, majorca",
    "Europe/Moscow": "russia",
    "Europe/Paris": "france",
    "Europe/Rome": "italy, milan, venice, naples",
    "Europe/Stockholm": "sweden",
    "Europe/Oslo": "norway",
    "Europe/Copenhagen": "denmark",
    "Europe/Helsinki": "finland",
    "Europe/Warsaw": "poland, krakow",
    "Europe/Zurich": "switzerland, geneva",
    "Europe/Vienna": "austria",
    "Europe/Amsterdam": "holland, netherlands",
    "Europe/Brussels": "belgium",
    "Pacific/Auckland": "new zealand, wellington",
    "Pacific/Honolulu": "hawaii",
}
"""Time zone → places in it that no zone is named after; countries with one time only."""


@cache
def _zones() -> dict[str, str]:
    """Place, in lower case → the name of its time zone."""
    named = {zone.rpartition("/")[2].replace("_", " ").casefold(): zone for zone in _regional()}
    return named | {
        place: zone for zone, places in _ELSEWHERE.items() for place in places.split(", ")
    }


def _regional() -> list[str]:
    """The time zones that are named after a city."""
    regions = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
    return sorted(z for z in available_timezones() if z.partition("/")[0] in regions)


def zone_of(place: str) -> ZoneInfo | None:
    """The time zone of a city or country; None for one that is not known."""
    name = _zones().get(place.casefold().removeprefix("the ").strip())
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, OSError):
        return None
