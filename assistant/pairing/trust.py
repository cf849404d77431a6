"""Whom this Hark trusts: the certificates that were pinned when pairing, and TLS by them alone."""

from __future__ import annotations

import ssl
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from assistant.core.config import Config
from assistant.core.errors import RoomsError
from assistant.core.layout import PAIRING_FOLDER
from assistant.pairing.identity import Identity
from assistant.pairing.private import keep_private
from assistant.rooms.wire import TRUST

_NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME: a board without a clock starts in 1970."""

Stamp = tuple[int, int]


class Pin:
    """The certificate of one other Hark, in a file that is there while they are paired."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def stamp(self) -> Stamp | None:
        """Another value for each pairing; None where there is none.

        Raises `RoomsError` where that cannot be known, so that nobody takes it for none.
        """
        try:
            found = self._file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise RoomsError(TRUST, f"{self._file}: {error.strerror}") from error
        return found.st_mtime_ns, found.st_ino

    @property
    def since(self) -> datetime | None:
        """When they were paired, by this device's clock; raises as `stamp` does."""
        stamp = self.stamp
        return stamp and datetime.fromtimestamp(stamp[0] / 1e9).astimezone()

    def read(self) -> str:
        """The certificate, PEM; raises `RoomsError`."""
        try:
            return self._file.read_text("ascii")
        except (OSError, ValueError) as error:
            raise RoomsError(TRUST, f"{self._file} cannot be read: {error}") from error

    def keep(self, certificate: bytes) -> None:
        """Pin a certificate, DER; raises `RoomsError` where it cannot be written."""
        try:
            keep_private(self._file, ssl.DER_cert_to_PEM_cert(certificate).encode("ascii"))
        except OSError as error:
            raise RoomsError("pairing.unwritable", f"{self._file}: {error.strerror}") from error

    def forget(self) -> bool:
        """End the pairing on this side, and return whether there was one; raises `RoomsError`."""
        try:
            self._file.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise RoomsError("pairing.unwritable", f"{self._file}: {error.strerror}") from error
        return True


class Trust:
    """This Hark's identity, and the pins of the others, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.identity = Identity(folder / "identity.pem")
        self.base = Pin(folder / "base.pem")
        """Whom it serves as a satellite."""

    @classmethod
    def of(cls, config: Config) -> Trust:
        """The trust of a Hark with these settings."""
        return cls(config.state_dir / PAIRING_FOLDER)

    def satellite(self, name: str) -> Pin:
        """The pin of one of its satellites."""
        return Pin(self._folder / "satellites" / f"{quote(name, safe='')}.pem")

    def context(self, pin: Pin, *, server_side: bool = False) -> ssl.SSLContext | None:
        """TLS with the other of a pairing and nobody else; None where they are not paired.

        Raises `RoomsError` where there is a pin that cannot be used: nothing is sent in plain then.
        """
        if pin.stamp is None:
            return None
        kind = ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT
        context = ssl.SSLContext(kind)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate is pinned, wherever it shows up
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= _NO_CHECK_TIME
        try:
            context.load_verify_locations(cadata=pin.read())
            context.load_cert_chain(self.identity.file)
        except OSError as error:  # ssl.SSLError is one
            raise RoomsError(TRUST, f"what was kept of the pairing is damaged: {error}") from error
        return context
