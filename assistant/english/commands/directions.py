"""Words that say in which direction something is to go: on or off, open or closed, up or down.

They are canonical words. A word may say several: to "raise" a blind opens it. In the English of
Singapore, Manila or Quebec people "open" and "close" what others turn on and off.
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.english.lists import phrase_list

_SAID = {
    "on": "on, activate, enable, illuminate, light up, ignite, power up, lit, open",
    "off": "off, turn of, switch of, dousing, get rid, deactivate, disable, kill, extinguish, "
    "power down, shut down, out, douse, cut, close",
    "open": "open, unshut, opened, opening, raise, lift, roll up, pull up, up, uncover",
    "close": "close, shut, closed, closing, lower, roll down, pull down, down, drop, draw, drawn",
    "lock": "lock, locked, bolt, secure, lock up, deadbolt",
    "unlock": "unlock, unlocked, unbolt, unlocking",
    "start": "start, begin, run, launch, go, commence, send out, get going, set off, on, "
    "going, spinning, hoover, hoovering, vacuum, vacuuming, clean, cleaning, mow, sweep",
    "round": "round, around, loose, for a run, for a spin, set off, send off",
    "stop": "stop, halt, end, quit, cease, abort, freeze, off",
    "return": "home, return, dock, back, base, charger, recharge, away, out of way, out of road, "
    "out from under",
    "pause": "pause, paused, hold, halt, stop, suspend, freeze, break",
    "resume": "resume, unpause, continue, carry on, play, proceed, restart, start, keep",
    "mute": "mute, silence, quiet, hush, silent, shut up, off",
    "unmute": "unmute, sound, on, audible, back",
    "up": "up, raise, increase, louder, warmer, brighter, higher, more, boost, crank, hotter, add, "
    "extend, lengthen, longer, extra, plus",
    "down": "down, lower, decrease, quieter, softer, cooler, colder, dimmer, darker, less, reduce, "
    "dim, soften, subtract, shorten, shorter, remove, take, minus, off",
    "next": "next, skip, forward, another, following, ahead",
    "previous": "previous, back, last, before, rewind, backwards, again",
    "cancel": "cancel, stop, delete, remove, kill, clear, end, forget, drop, scrap, abort, off, "
    "rid, scratch, quit, dismiss, wipe, erase",
}

DIRECTIONS: dict[tuple[str, ...], tuple[str, ...]] = {}
"""Word or phrase → the directions that it says."""
for _direction, _words in _SAID.items():
    for _phrase in phrase_list(_words):
        _key = tuple(_phrase.split())
        DIRECTIONS[_key] = (*DIRECTIONS.get(_key, ()), _direction)

LONGEST = max(map(len, DIRECTIONS))

_OPPOSITES = (
    *(("on", "off"), ("open", "close"), ("lock", "unlock"), ("start", "stop"), ("up", "down")),
    *(("start", "return"), ("pause", "resume"), ("mute", "unmute"), ("next", "previous")),
)


def opposites(directions: Iterable[str]) -> frozenset[str]:
    """The directions that are opposed to any of these."""
    wanted = set(directions)
    pairs = (pair for a, b in _OPPOSITES for pair in ((a, b), (b, a)))
    return frozenset(other for one, other in pairs if one in wanted)
