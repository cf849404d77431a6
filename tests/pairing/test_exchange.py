"""Two sides prove a secret to each other, over both their certificates."""

from __future__ import annotations

import pytest

from assistant.core.errors import RoomsError
from assistant.pairing.exchange import BASE, SATELLITE, Exchange

SECRET, OTHER = b"number 123456", b"number 123457"


def pair_of(base_knows: bytes, satellite_knows: bytes) -> tuple[Exchange, Exchange]:
    """The two sides, before they have met."""
    return Exchange(BASE, base_knows, b"b"), Exchange(SATELLITE, satellite_knows, b"s")


@pytest.mark.parametrize(("satellite_knows", "same"), [(SECRET, True), (OTHER, False)])
def test_both_sides_confirm_the_same_secret_alone(satellite_knows: bytes, same: bool) -> None:
    base, satellite = pair_of(SECRET, satellite_knows)
    base.meet(satellite.share, b"s")
    satellite.meet(base.share, b"b")
    assert satellite.confirms(base.confirmation) is same
    assert base.confirms(satellite.confirmation) is same


@pytest.mark.parametrize(
    ("base_sees", "satellite_sees"), [(b"x", b"b"), (b"s", b"x"), (b"b", b"s")]
)
def test_another_certificate_is_found_out_by_both(base_sees: bytes, satellite_sees: bytes) -> None:
    base, satellite = pair_of(SECRET, SECRET)
    base.meet(satellite.share, base_sees)
    satellite.meet(base.share, satellite_sees)
    assert not satellite.confirms(base.confirmation)
    assert not base.confirms(satellite.confirmation)


def test_what_one_side_confirms_does_not_confirm_it_to_itself() -> None:
    base, satellite = pair_of(SECRET, SECRET)
    base.meet(satellite.share, b"s")
    assert not base.confirms(base.confirmation)


@pytest.mark.parametrize("share", [b"", b"A", b"B", b"B" + bytes(32), b"B" + b"\xff" * 32, b"B123"])
def test_what_is_no_share_is_refused(share: bytes) -> None:
    base, _ = pair_of(SECRET, SECRET)
    with pytest.raises(RoomsError, match="no share"):
        base.meet(share, b"s")


def test_a_share_that_comes_back_is_refused() -> None:
    base, _ = pair_of(SECRET, SECRET)
    with pytest.raises(RoomsError, match="no share"):
        base.meet(b"B" + base.share[1:], b"s")
