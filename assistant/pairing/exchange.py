"""The proof that both know the same secret, which tells nobody else of it: SPAKE2, and then a
confirmation that covers both certificates.

Whoever sits between, and shows each side a certificate of its own, would have to guess the secret,
once for each exchange.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Protocol

from assistant.core.errors import RoomsError

VERSION = 1
LONGEST_CERTIFICATE_BYTES = 4096
BASE, SATELLITE = "base", "satellite"


class _Half(Protocol):
    def start(self) -> bytes: ...

    def finish(self, message: bytes) -> bytes: ...


class Exchange:
    """One side of one try; `certificate` is this side's, DER."""

    def __init__(self, role: str, secret: bytes, certificate: bytes) -> None:
        self._role, self._certificate = role, certificate
        self._half = _half(role, secret)
        self.share = self._half.start()
        """What the other side is sent, with the certificate."""
        self._keys: dict[str, bytes] = {}

    def meet(self, share: bytes, certificate: bytes) -> None:
        """Take the other side's share and certificate; raises `RoomsError` for what is none."""
        key = _finished(self._half, share)
        ours, theirs = (hashlib.sha256(one).digest() for one in (self._certificate, certificate))
        both = ours + theirs if self._role == BASE else theirs + ours
        self._keys = {
            role: hmac.digest(key, f"hark pairing {VERSION} {role}".encode() + both, "sha256")
            for role in (BASE, SATELLITE)
        }

    @property
    def confirmation(self) -> bytes:
        """What proves to the other side that this one knows the secret."""
        return self._keys[self._role]

    def confirms(self, told: bytes) -> bool:
        """Whether the other side knows the secret, and both see the same two certificates."""
        other = SATELLITE if self._role == BASE else BASE
        return hmac.compare_digest(self._keys[other], told)


def _half(role: str, secret: bytes) -> _Half:
    # Loaded here alone: with its package `cryptography` it takes 9 MB.
    from spake2 import SPAKE2_A, SPAKE2_B

    names = (f"hark base {VERSION}".encode(), f"hark satellite {VERSION}".encode())
    made: _Half = (SPAKE2_A if role == BASE else SPAKE2_B)(secret, *names)
    return made


def _finished(half: _Half, share: bytes) -> bytes:
    from spake2 import SPAKEError
    from spake2.ed25519_basic import NotOnCurve

    try:
        return half.finish(share)
    except (SPAKEError, NotOnCurve, ValueError, AssertionError) as error:
        raise RoomsError("pairing.share", "the other side sends no share of a key") from error
