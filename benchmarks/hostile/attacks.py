"""All attacks, in the order in which they are made."""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.hostile.attack import Attack
from benchmarks.hostile.broker import BrokerAttack
from benchmarks.hostile.bus import BusAttack
from benchmarks.hostile.calendars import CalendarsAttack
from benchmarks.hostile.control import ControlAttack
from benchmarks.hostile.documents import DocumentsAttack
from benchmarks.hostile.models import ModelsAttack
from benchmarks.hostile.rogue_broker import RogueBrokerAttack
from benchmarks.hostile.rooms import RoomsAttack
from benchmarks.hostile.settings import ConfigAttack
from benchmarks.hostile.sound import AudioAttack
from benchmarks.hostile.state import StateAttack
from benchmarks.hostile.wyoming.base import BaseAttack
from benchmarks.hostile.wyoming.satellite import SatelliteAttack
from benchmarks.hostile.wyoming.services import WyomingAttack


def _hub() -> tuple[type[Attack], ...]:
    """That on the hub, where its extra is installed."""
    if not (find_spec("ray") and find_spec("fastapi")):
        return ()
    from benchmarks.hostile.hub import HubAttack

    return (HubAttack,)


ATTACKS: tuple[type[Attack], ...] = (
    BusAttack,
    ControlAttack,
    BrokerAttack,
    DocumentsAttack,
    CalendarsAttack,
    ModelsAttack,
    ConfigAttack,
    StateAttack,
    AudioAttack,
    WyomingAttack,
    SatelliteAttack,
    BaseAttack,
    RoomsAttack,
    RogueBrokerAttack,
    *_hub(),
)
