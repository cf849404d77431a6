"""Which devices are reached by the bridge, and whether the other end is there."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.core.messages import DeviceChanged

SILENT_S = 75.0
"""Seconds after which a bridge that has said nothing of its other ends, which it does twice a
minute, counts as gone."""
HOME, PLAYER, SESSION = "broker", "player", "session"
"""The other ends, as a `DeviceChanged` names them."""
NO_PLAYERS: Mapping[str, str] = {}
"""Id of a player → the other end that it is at."""


class Ends:
    """The other ends of the bridge: the home, where there is `home`, and those of the `players`.

    `shares_lists` says whether the home has lists of its own.
    """

    def __init__(
        self, home: bool, players: Mapping[str, str] = NO_PLAYERS, shares_lists: bool = False
    ) -> None:
        self.shares_lists = shares_lists
        self._home, self._players = home, players
        self._present = dict.fromkeys((HOME, PLAYER, SESSION), True)
        self._heard_at_s: dict[str, float] = {}
        """Other end → when the bridge last told of it, or this process began."""

    @property
    def any(self) -> bool:
        """Whether there is a bridge at all."""
        return self._home or bool(self._players)

    def carries(self, entity_id: str) -> bool:
        """Whether a device is reached by the bridge."""
        return self._home or entity_id in self._players

    def reaches(self, entity_id: str, at_s: float) -> bool:
        """Whether the other end of a device is there, as far as one knows."""
        end = self._players.get(entity_id, HOME)
        silent = at_s - self._heard_at_s.get(end, at_s) > SILENT_S
        return self._present[end] and not silent

    def begin(self, at_s: float) -> None:
        """Note that the bridge is waited for from now on."""
        for end in self._present:
            self._heard_at_s.setdefault(end, at_s)

    def told(self, message: DeviceChanged, at_s: float) -> bool:
        """Note the presence of an other end; whether one is there that may have missed something.

        Other devices are none of its concern.
        """
        if message.device not in self._present:
            return False
        self._present[message.device], self._heard_at_s[message.device] = message.present, at_s
        return message.present
