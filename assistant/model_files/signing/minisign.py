"""Keys and signatures in minisign's format: Ed25519 over the BLAKE2b-512 of a content.

The files are those of the tool minisign, which can make and check them, too. Of its signatures only
the newer kind ("ED", of a hash) is taken.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from nacl.exceptions import BadSignatureError, CryptoError
from nacl.pwhash import scrypt
from nacl.signing import SigningKey, VerifyKey

from assistant.core.errors import ModelError
from assistant.core.files import read_private, read_text, replace_file

SUFFIX = ".minisig"
COMMENT = "signed for Hark"
"""The trusted comment of a signature made here: no date, as no clock is trusted."""
MOST_COMMENT = 1024
"""Most characters of a comment."""
MOST_BYTES = 4096
"""Most bytes of a file of a key or a signature."""

_KEY, _HASHED, _SCRYPT, _PLAIN, _CHECKSUM = b"Ed", b"ED", b"Sc", bytes(2), b"B2"
_UNTRUSTED, _TRUSTED = "untrusted comment: ", "trusted comment: "
_SECRET = struct.Struct("<2s2s2s32sQQ104s")
"""Layout of secret keys: three algorithms (key, password, checksum), salt, effort, memory, rest."""
_ENCLOSED = struct.Struct("<8s64s32s")
"""Layout of what the password encrypts: id, key, checksum."""

Password = Callable[[], str]
"""Asks for the password of a secret key; only called for a key that has one."""


class PublicKey(msgspec.Struct, frozen=True):
    """A public key and the 8 bytes that it is known by."""

    id: bytes
    key: bytes

    @property
    def name(self) -> str:
        """Its id as minisign shows it: 16 hexadecimal digits."""
        return self.id[::-1].hex().upper()

    @property
    def text(self) -> str:
        """The key in base64, as minisign's option `-P` takes it."""
        return b64encode(_KEY + self.id + self.key).decode()


class Signature(msgspec.Struct, frozen=True):
    """A signature with the id of its key, and its trusted comment with the signature of both."""

    key_id: bytes
    signature: bytes
    comment: str
    whole: bytes

    @property
    def text(self) -> str:
        """The four lines of the file."""
        signature = b64encode(_HASHED + self.key_id + self.signature).decode()
        whole = b64encode(self.whole).decode()
        return f"{_UNTRUSTED}{COMMENT}\n{signature}\n{_TRUSTED}{self.comment}\n{whole}\n"


class SecretKey(msgspec.Struct, frozen=True):
    """A key that signs."""

    public: PublicKey
    seed: bytes

    def sign(self, content: bytes) -> Signature:
        """The signature of `content`."""
        key = SigningKey(self.seed)
        signature = key.sign(hashlib.blake2b(content).digest()).signature
        whole = key.sign(signature + COMMENT.encode()).signature
        return Signature(self.public.id, signature, COMMENT, whole)


def verify(content: bytes, signature: Signature, key: PublicKey, where: str) -> None:
    """Raise `ModelError` unless `key` has signed `content`, named `where`, and the comment."""
    checked = VerifyKey(key.key)
    try:
        if signature.key_id != key.id:
            raise BadSignatureError
        checked.verify(hashlib.blake2b(content).digest(), signature.signature)
        checked.verify(signature.signature + signature.comment.encode(), signature.whole)
    except BadSignatureError as error:
        message = f"{where} is not what the key {key.name} has signed"
        raise ModelError("model.signature", message) from error


def read_public(text: str, where: str) -> PublicKey:
    """The key of minisign's base64; raises `ModelError`, which names `where` it stands."""
    kind, key_id, key = _unpacked("<2s8s32s", text, where, "model.key", "public key")
    if kind != _KEY:
        raise _malformed("model.key", where, "public key")
    return PublicKey(key_id, key)


def read_public_file(file: Path) -> tuple[PublicKey, ...]:
    """The keys of a file of minisign's, or of several that were joined; raises `ModelError`."""
    lines = [line for line in _lines(file) if line and not line.startswith(_UNTRUSTED)]
    if not lines:
        raise _malformed("model.key", str(file), "public key")
    return tuple(read_public(line, str(file)) for line in lines)


def read_signature(text: str, where: str) -> Signature:
    """A signature as minisign or `Signature.text` writes it; raises `ModelError`."""
    lines = text.splitlines()
    shape = [line.startswith(start) for line, start in zip(lines, _SHAPE, strict=False)]
    comment = lines[2].removeprefix(_TRUSTED) if len(lines) == len(_SHAPE) == sum(shape) else ""
    if not comment or len(comment) > MOST_COMMENT:
        raise _malformed("model.signature", where, "signature")
    what = ("model.signature", "signature")
    kind, key_id, signature = _unpacked("<2s8s64s", lines[1], where, *what)
    (whole,) = _unpacked("<64s", lines[3], where, *what)
    if kind != _HASHED:
        raise _malformed("model.signature", where, "signature of a hash (minisign -S -H)")
    return Signature(key_id, signature, comment, whole)


def read_exactly(text: str, where: str) -> Signature:
    """A signature that stands as `Signature.text` writes it, byte for byte; raises `ModelError`."""
    signature = read_signature(text, where)
    if signature.text != text:
        raise ModelError("model.signature", f"{where} is not in the form in which it is told")
    return signature


_SHAPE = (_UNTRUSTED, "", _TRUSTED, "")
"""How the lines of a signature begin."""


def make_key() -> SecretKey:
    """A new key."""
    seed = secrets.token_bytes(32)
    public = PublicKey(secrets.token_bytes(8), bytes(SigningKey(seed).verify_key))
    return SecretKey(public, seed)


def write_key(key: SecretKey, secret: Path, public: Path, password: str) -> None:
    """Store a key, its secret file for this user alone and encrypted unless `password` is "".

    Raises `ModelError` where one of the files is there already or cannot be written.
    """
    pair = key.seed + key.public.key
    if password:
        kind, salt, effort, memory = _SCRYPT, secrets.token_bytes(32), *_EFFORT
        enclosed = _ENCLOSED.pack(key.public.id, pair, _checksum(key))
        enclosed = _mixed(enclosed, password, salt, effort, memory)
    else:
        kind, salt, effort, memory = _PLAIN, bytes(32), 0, 0
        enclosed = _ENCLOSED.pack(key.public.id, pair, bytes(32))
    packed = _SECRET.pack(_KEY, kind, _CHECKSUM, salt, effort, memory, enclosed)
    of_secret = f"{_UNTRUSTED}minisign encrypted secret key\n{b64encode(packed).decode()}\n"
    of_public = f"{_UNTRUSTED}minisign public key {key.public.name}\n{key.public.text}\n"
    for file, text, mode in ((secret, of_secret, 0o600), (public, of_public, 0o644)):
        if file.exists():
            raise ModelError("model.key", f"{file} is there already; a key is never overwritten")
        try:
            replace_file(file, text.encode(), mode)
        except OSError as error:
            raise ModelError("model.key", f"{file}: {error.strerror}") from error


_EFFORT = (scrypt.OPSLIMIT_SENSITIVE, scrypt.MEMLIMIT_SENSITIVE)
"""Effort and memory (1 GB) of the password's function: minisign's own."""


def read_secret(file: Path, password: Password) -> SecretKey:
    """The secret key of minisign's `file`.

    Raises `ModelError`, also for a wrong password, and for a key without one that others may read.
    """
    line = (_lines(file) or [""])[-1]
    kind, function, check, salt, effort, memory, enclosed = _unpacked(
        _SECRET.format, line, str(file), "model.key", "secret key"
    )
    if kind != _KEY or check != _CHECKSUM or function not in (_SCRYPT, _PLAIN):
        raise _malformed("model.key", str(file), "secret key")
    if function == _SCRYPT:
        if effort > _EFFORT[0] or memory > _EFFORT[1]:
            raise ModelError("model.key", f"{file}: its password takes more memory than minisign's")
        enclosed = _mixed(enclosed, password(), salt, effort, memory)
    else:
        _require_private(file)
    key_id, pair, checksum = _ENCLOSED.unpack(enclosed)
    key = SecretKey(PublicKey(key_id, pair[32:]), pair[:32])
    # Minisign has no checksum in a key without a password; that its halves fit is one.
    whole = _checksum(key) if function == _SCRYPT else bytes(32)
    fits = bytes(SigningKey(key.seed).verify_key) == key.public.key
    if not (fits and secrets.compare_digest(checksum, whole)):
        raise ModelError("model.password", f"{file}: the password is wrong, or the file damaged")
    return key


def _require_private(file: Path) -> None:
    """Raise `ModelError` for a file that others may read."""
    try:
        read_private(file, MOST_BYTES)
    except OSError as error:
        raise ModelError("model.key", f"{file}: {error.strerror}") from error


def _mixed(enclosed: bytes, password: str, salt: bytes, effort: int, memory: int) -> bytes:
    """Encrypt or decrypt by the password's stream."""
    try:
        stream = scrypt.kdf(len(enclosed), password.encode(), salt, effort, memory)
    except (CryptoError, MemoryError) as error:
        message = "the key's password takes 1 GB of memory, and that is not free here"
        raise ModelError("model.key", message) from error
    return bytes(one ^ other for one, other in zip(enclosed, stream, strict=True))


def _checksum(key: SecretKey) -> bytes:
    content = _KEY + key.public.id + key.seed + key.public.key
    return hashlib.blake2b(content, digest_size=32).digest()


def _lines(file: Path) -> list[str]:
    try:
        return read_text(file, MOST_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError("model.key", f"{file}: {getattr(error, 'strerror', error)}") from error


def _unpacked(layout: str, text: str, where: str, code: str, what: str) -> tuple[Any, ...]:
    try:
        return struct.unpack(layout, b64decode(text, validate=True))
    except (Base64Error, struct.error, ValueError) as error:
        raise _malformed(code, where, what) from error


def _malformed(code: str, where: str, what: str) -> ModelError:
    return ModelError(code, f"{where} holds no {what} in minisign's format")
