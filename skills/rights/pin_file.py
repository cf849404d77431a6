"""The PIN on the disk: a salted hash that only its user can read.

scrypt with n = 8192, r = 8, p = 1 takes 8 MB. Whoever can read the file can try all 10,000 PINs of
four digits all the same: it keeps those out who only speak.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
from pathlib import Path

import msgspec

from assistant.core.errors import InputError, StorageError
from assistant.core.files import replace_file

log = logging.getLogger(__name__)

FEWEST, MOST = 4, 12
"""Number of digits that a PIN may have."""
_N, _R, _P = 1 << 13, 8, 1
_SALT_BYTES = 16


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    n: int
    r: int
    p: int
    salt: bytes
    digest: bytes

    def fits(self, digits: str) -> bool:
        made = hashlib.scrypt(digits.encode(), salt=self.salt, n=self.n, r=self.r, p=self.p)
        return hmac.compare_digest(made, self.digest)


def require_digits(digits: str) -> None:
    """Raise `InputError` for what cannot be a PIN."""
    if not (digits.isascii() and digits.isdecimal() and FEWEST <= len(digits) <= MOST):
        raise InputError("pin.digits", f"a PIN has {FEWEST} to {MOST} digits, and nothing else")


class PinFile:
    """The file `path` with the hash of the PIN."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def is_set(self) -> bool:
        """Whether there is a PIN that this user may see."""
        try:
            return self._path.exists()
        except OSError:
            return False

    def set(self, digits: str) -> None:
        """Keep a PIN in place of the one before.

        Raises `InputError` for what is none, `StorageError` where it cannot be written.
        """
        require_digits(digits)
        salt = os.urandom(_SALT_BYTES)
        digest = hashlib.scrypt(digits.encode(), salt=salt, n=_N, r=_R, p=_P)
        kept = msgspec.json.encode(_Kept(n=_N, r=_R, p=_P, salt=salt, digest=digest))
        path = self._path
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(path, kept, 0o600)
            owner = path.parent.stat()
            if os.geteuid() == 0:  # set by root for the service, whose folder it is
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        except OSError as error:
            raise StorageError("storage.unwritable", f"{path}: {error.strerror}") from error

    def remove(self) -> bool:
        """Forget the PIN, and return whether there was one; raises `StorageError`."""
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageError("storage.unwritable", f"{self._path}: {error.strerror}") from error
        return True

    def fits(self, digits: str) -> bool:
        """Whether these are the digits of the PIN; a file that cannot be read fits nothing."""
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=_Kept)
            return kept.fits(digits)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            log.error("the PIN cannot be read: %s; set it again (pin.unreadable)", error)
            return False
