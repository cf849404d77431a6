"""TLS with the pinned certificate, whatever the clock says, and with no other."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path

import pytest

from assistant.core.errors import RoomsError
from assistant.pairing import identity
from assistant.pairing.trust import Pin, Trust
from tests.support.pairing import paired

KITCHEN = "kitchen"


def talk(base: Trust, satellite: Trust) -> bytes:
    """What a base reads of a satellite that sends back what it gets; raises as TLS does."""
    there, here = socket.socketpair()
    failed: Future[None] = Future()

    def serve() -> None:
        context = satellite.context(satellite.base, server_side=True)
        assert context is not None
        try:
            with context.wrap_socket(there, server_side=True) as encrypted:
                encrypted.sendall(encrypted.recv(10))
            failed.set_result(None)
        except OSError as error:
            failed.set_exception(error)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        context = base.context(base.satellite(KITCHEN))
        assert context is not None
        with here, context.wrap_socket(here) as encrypted:
            assert encrypted.version() == "TLSv1.3"
            encrypted.sendall(b"hello")
            return encrypted.recv(10)
    finally:
        thread.join()
        there.close()
        failed.result()


def test_those_that_are_paired_speak(tmp_path: Path) -> None:
    assert talk(*paired(tmp_path, KITCHEN)) == b"hello"


@pytest.mark.parametrize(
    ("valid_from", "valid_to"), [(1970, 1971), (2090, 9999)], ids=["expired", "not yet valid"]
)
def test_the_clock_does_not_matter(
    valid_from: int, valid_to: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "VALID_FROM", datetime(valid_from, 1, 1))
    monkeypatch.setattr(identity, "VALID_TO", datetime(valid_to, 1, 1))
    assert talk(*paired(tmp_path, KITCHEN)) == b"hello"


def test_the_dates_would_matter_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "VALID_TO", datetime(1971, 1, 1))
    base, satellite = paired(tmp_path, KITCHEN)
    context = base.context
    monkeypatch.setattr(base, "context", lambda pin: _minding_dates(context, pin))
    with pytest.raises(ssl.SSLError, match=r"(?i)expired"):
        talk(base, satellite)


def _minding_dates(context: Callable[[Pin], ssl.SSLContext | None], pin: Pin) -> ssl.SSLContext:
    made = context(pin)
    assert made is not None
    made.verify_flags = ssl.VerifyFlags.VERIFY_DEFAULT
    return made


def renewed(trust: Trust) -> Trust:
    """The same Hark with another key."""
    trust.identity.file.unlink()
    trust.identity.make()
    return trust


@pytest.mark.parametrize("other", ["base", "satellite"])
def test_another_certificate_is_refused(other: str, tmp_path: Path) -> None:
    base, satellite = paired(tmp_path, KITCHEN)
    renewed({"base": base, "satellite": satellite}[other])
    with pytest.raises(ssl.SSLError):
        talk(base, satellite)


def test_a_certificate_that_the_pinned_one_would_sign_is_none(tmp_path: Path) -> None:
    from cryptography import x509

    trust = paired(tmp_path, KITCHEN)[0]
    made = x509.load_der_x509_certificate(trust.identity.certificate)
    assert not made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert made.not_valid_before_utc.year == 1970
    assert made.not_valid_after_utc.year == 9999


def test_without_a_pin_there_is_no_tls(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "nowhere")
    assert trust.context(trust.base) is None
    assert trust.base.since is None
    assert not trust.base.forget()


@pytest.mark.parametrize("lost", ["base.pem", "identity.pem"])
def test_what_is_damaged_is_no_reason_to_speak_in_plain(lost: str, tmp_path: Path) -> None:
    _, satellite = paired(tmp_path, KITCHEN)
    (tmp_path / KITCHEN / lost).write_text("-----BEGIN CERTIFICATE-----\nx")
    with pytest.raises(RoomsError, match="damaged"):
        satellite.context(satellite.base, server_side=True)


def test_a_pin_that_cannot_be_looked_for_is_not_taken_for_none(tmp_path: Path) -> None:
    base = Trust(tmp_path)
    (tmp_path / "satellites").symlink_to(tmp_path / "satellites")  # a loop; root may read all else
    with pytest.raises(RoomsError, match=r"kitchen\.pem"):
        base.context(base.satellite(KITCHEN))


def test_an_identity_is_made_once(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "new")
    trust.identity.make()
    first = trust.identity.certificate
    trust.identity.make()
    assert trust.identity.certificate == first


@pytest.mark.parametrize("name", ["../identity", "a/b", ".", "küche"])
def test_a_name_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    trust = Trust(tmp_path)
    trust.satellite(name).keep(b"x")
    (kept,) = (tmp_path / "satellites").iterdir()
    assert kept.is_file()


def test_a_pairing_has_a_time_and_ends(tmp_path: Path) -> None:
    base, _ = paired(tmp_path, KITCHEN)
    pin = base.satellite(KITCHEN)
    before = pin.stamp
    assert pin.since is not None
    assert abs((datetime.now().astimezone() - pin.since).total_seconds()) < 3600
    pin.keep(b"another")
    assert pin.stamp != before
    assert pin.forget()
    assert pin.stamp is None
