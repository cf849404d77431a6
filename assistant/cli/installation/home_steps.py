"""The step of `assistant setup` about rooms and devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.cli.installation.asking import Asker, tell
from assistant.core.config import Config
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import InputError
from assistant.setup.home_assistant import read_home_assistant
from assistant.setup.rooms import DOMAINS, Device, Room, home_of, parse_device, parse_room, split
from assistant.skill.home import Home, load_home

_SOURCES = (
    "a few questions",
    "Home Assistant's configuration folder, or a copy of it",
    "a home file that is there already",
)
_LISTS = "shopping list"


def given_home(
    rooms: Sequence[str], lists: Sequence[str], home_assistant: Path | None
) -> Home | None:
    """The home that options tell of, if any do; raises `InputError`."""
    if home_assistant is not None:
        return read_home_assistant(home_assistant)
    if rooms or lists:
        return home_of([parse_room(room) for room in rooms], lists)
    return None


def asked_home(asker: Asker, settings: Config) -> Home | Path | None:
    """The home that the user tells of, or the file that has it; None where all stays."""
    asker.head("Rooms and devices")
    file = settings.home.file
    if file and Path(file).expanduser().exists():
        if asker.asks:
            tell(f"They stand in {file}.")
        if not asker.yes("Shall they be asked for anew?", False):
            return None
    while True:
        try:
            match asker.choose("From where", _SOURCES, int(asker.asks)):
                case 1:
                    return _questions(asker)
                case 2:
                    folder = asker.text("Home Assistant's folder", "/config")
                    return read_home_assistant(Path(folder).expanduser())
                case 3:
                    wanted = Path(asker.text("The file")).expanduser()
                    load_home(wanted)
                    return wanted.resolve()
                case _:
                    return None
        except InputError as error:
            tell(error.message)


def asked_area(asker: Asker, home: Home, given: str | None) -> str | None:
    """The id of the area where this device stands; raises `InputError` for one there is not."""
    known = {area.id: area.name for area in home.areas}
    if given is not None:
        found = [i for i, name in known.items() if given.casefold() in (i, name.casefold())]
        if not found:
            remedy = did_you_mean(given, known) if known else "the home has no rooms"
            raise InputError("config.area", f'there is no room "{given}"; {remedy}')
        return found[0]
    if not known or not asker.asks:
        return None
    tell('Where does this device stand? "The lights" are then those of that room.')
    number = asker.choose("Room", list(known.values()))
    return list(known)[number - 1] if number else None


def _questions(asker: Asker) -> Home:
    rooms = []
    for name in split(asker.text("Which rooms are there? (kitchen, hall, …)")):
        things = asker.text(f"What is in the {name}? (ceiling light, blinds, radio, …)")
        devices = tuple(_known(asker, parse_device(thing)) for thing in split(things))
        rooms.append(Room(parse_room(name).name, devices))
    return home_of(rooms, split(asker.text("Which lists?", _LISTS)))


def _known(asker: Asker, device: Device) -> Device:
    """The device, with its kind asked for where its name does not tell."""
    while not device.domain:
        kind = asker.text(f"What is {device.name}? ({', '.join(DOMAINS)})", "switch")
        try:
            device = parse_device(f"{device.name}={kind}")
        except InputError as error:
            tell(error.message)
    return device
