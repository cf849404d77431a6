"""`assistant pair` and `assistant unpair`: which Harks trust each other, and are encrypted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console
from assistant.cli.shared.questions import ask
from assistant.core.config import Config, config_files, load_config
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import InputError, RoomsError
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.pairing.at_base import Place, begin, complete
from assistant.pairing.number import TRIES
from assistant.pairing.secret import of_key, of_number
from assistant.pairing.trust import Pin, Trust
from assistant.rooms.discovery.finding import Finder

Settings = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]


def pair(
    name: Annotated[str, typer.Argument(help="The satellite, as [wyoming.satellites] names it.")],
    key: Annotated[
        Path | None, typer.Option(help="File with the key that the satellite has, too.")
    ] = None,
    config: Settings = None,
) -> None:
    """Pair a satellite by the number that it says: from then on all is encrypted."""
    settings, trust = _settings(config)
    place = asyncio.run(Finder().where(name, _named(settings, name)))
    pin = trust.satellite(name)
    secret = of_key(key) if key else None
    trust.identity.make()  # before anything is said
    asyncio.run(begin(place, by_key=secret is not None))
    if secret is not None:
        asyncio.run(complete(place, secret, trust, pin, by_key=True))
    else:
        _ask_for_number(place, trust, pin)
    console.print(f"{name} is paired. What passes between it and this device is encrypted.")


def unpair(
    name: Annotated[
        str, typer.Argument(help="The satellite; left out, on a satellite, its base.")
    ] = "",
    config: Settings = None,
) -> None:
    """Forget a pairing on this side; the other side forgets it by the same command."""
    settings, trust = _settings(config)
    there = (trust.satellite(name) if name else trust.base).forget()
    who = name or "the base"
    if not there:
        if name:
            _named(settings, name)
        raise InputError("pairing.none", f"{who} is not paired with this device")
    console.print(f"{who} is paired no more; it serves and is served in plain.", markup=False)
    console.print(f"The other side still is: there, run: assistant unpair{' NAME' * (not name)}")


def _ask_for_number(place: Place, trust: Trust, pin: Pin) -> None:
    """Ask until the number is right; raises `RoomsError` once it was wrong too often.

    Who is asked may only say so: each number that is tried lets whoever sits between guess once.
    """
    tries = TRIES
    while True:
        typed = ask("It says a number. Which? ")
        try:
            secret = of_number(typed)
            asyncio.run(complete(place, secret, trust, pin, by_key=False))
            return
        except (InputError, RoomsError) as error:
            tries -= error.code == "pairing.wrong"
            if error.code not in ("pairing.digits", "pairing.wrong") or not tries:
                raise
            console.print(error.message, markup=False)


def _settings(config: Path | None) -> tuple[Config, Trust]:
    settings = load_config(config_files(config))[0]
    return settings, Trust.of(settings)


def _named(settings: Config, name: str) -> SatelliteSettings:
    known = settings.wyoming.satellites
    if name not in known:
        hint = did_you_mean(name, known) if known else "there is none"
        message = f"the settings name no satellite {name!r} in [wyoming.satellites]; {hint}"
        raise InputError("pairing.satellite", message)
    return known[name]
