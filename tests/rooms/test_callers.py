"""Who gets in when many call: shares of each address."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from assistant.core.errors import RoomsError
from assistant.rooms.callers import Callers


class Crowd:
    """Callers who stay until they are hung up on."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self.callers = Callers(most, most_of_one)
        self.stay: dict[str, ExitStack] = {}
        self.hung_up: list[str] = []

    def comes(self, name: str, address: str) -> bool:
        """Whether somebody is let in, and stays."""
        stays = ExitStack()
        try:
            stays.enter_context(self.callers.let_in(address, lambda: self.hung_up.append(name)))
        except RoomsError:
            return False
        self.stay[name] = stays
        return True


@pytest.fixture
def crowd() -> Crowd:
    return Crowd(4, 3)


def test_one_address_has_its_share(crowd: Crowd) -> None:
    assert [crowd.comes(str(n), "greedy") for n in range(4)] == [True, True, True, False]
    assert crowd.comes("other", "modest")
    assert crowd.hung_up == []


def test_where_all_are_taken_the_greediest_gives_up_its_last(crowd: Crowd) -> None:
    for number in range(3):
        assert crowd.comes(str(number), "greedy")
    assert crowd.comes("a", "modest")
    assert crowd.comes("b", "another")
    assert crowd.hung_up == ["2"]
    assert len(crowd.callers) == 4
    crowd.stay["2"].close()  # it notices later that it was hung up on
    assert len(crowd.callers) == 4


def test_who_has_no_fewer_is_turned_away(crowd: Crowd) -> None:
    for number in range(4):
        assert crowd.comes(str(number), f"address {number % 2}")
    assert not crowd.comes("one more", "address 0")
    assert crowd.comes("new", "address 3")
    assert not crowd.comes("newer", "address 0")
    assert crowd.hung_up == ["2"] or crowd.hung_up == ["3"]


def test_who_leaves_makes_room(crowd: Crowd) -> None:
    for number in range(3):
        assert crowd.comes(str(number), "greedy")
    crowd.stay["1"].close()
    assert len(crowd.callers) == 2
    assert crowd.comes("again", "greedy")
    for name in ("0", "2", "again"):
        crowd.stay[name].close()
    assert len(crowd.callers) == 0
