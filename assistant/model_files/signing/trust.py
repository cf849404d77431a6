"""What this device remembers of signed models, in one file beside the pulled models.

The newest list of signing keys that it has seen, and of each model the highest counter that was
installed. Both only ever rise, so that an old bundle or an old list is not taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from assistant.core.errors import ModelError
from assistant.core.files import open_locked, replace_file
from assistant.core.models.versions import MALFORMED
from assistant.model_files.signing.bundle import BundleManifest
from assistant.model_files.signing.canonical import canonical, read_canonical
from assistant.model_files.signing.keys import SigningKeys, VouchedKeys, check_vouched
from assistant.model_files.signing.minisign import PublicKey

FILE = ".signed.json"
KEPT = "the list of signing keys that is kept here"


class Installed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bundle of a model with the highest counter."""

    counter: int
    sha256: str
    """SHA-256 of its manifest."""


class Trust(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is remembered."""

    keys: VouchedKeys | None = None
    highest: dict[str, Installed] = {}
    """Model → what was installed of it."""


def read_trust(pulled: Path) -> Trust:
    """What is remembered; raises `ModelError` for a file that is damaged."""
    file = pulled / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Trust)
    except FileNotFoundError:
        return Trust()
    except (OSError, *MALFORMED) as error:
        message = f"{file}: {error}; bring it back from a copy, or remove it: then what is older"
        raise ModelError(
            "model.trust", f"{message} than was installed here is taken, too"
        ) from error


def write_trust(pulled: Path, trust: Trust) -> None:
    """Remember it, safe against a power cut; raises `OSError`."""
    replace_file(pulled / FILE, msgspec.json.encode(trust))


@contextmanager
def holding(pulled: Path) -> Iterator[None]:
    """A block in which no other command changes what is remembered; raises `ModelError`."""
    lock = open_locked(pulled / f"{FILE}.lock")
    if lock is None:
        raise ModelError("model.busy", "another command is installing a signed model")
    with lock:
        yield


def keys_in_force(trust: Trust, brought: VouchedKeys, roots: Sequence[PublicKey]) -> SigningKeys:
    """The newer of the list that is kept and the one that was brought, both vouched for.

    Raises `ModelError`, also for two different lists of one number.
    """
    new = check_vouched(brought, roots)
    if trust.keys is None:
        return new
    kept = read_canonical(trust.keys.content.encode(), SigningKeys, KEPT, "model.trust")
    if new.counter > kept.counter:
        return new
    if new.counter < kept.counter:
        return check_vouched(trust.keys, roots, KEPT)
    if new != kept:
        message = f"there are two lists of signing keys with the number {new.counter}"
        raise ModelError("model.keys", f"{message}; the newer one needs a higher number")
    return new


def with_keys(trust: Trust, brought: VouchedKeys, keys: SigningKeys) -> Trust:
    """What is to be remembered once `keys` are in force, which may be those that were brought."""
    if canonical(keys) != brought.content.encode():
        return trust
    return msgspec.structs.replace(trust, keys=brought)


def refuse_older(trust: Trust, manifest: BundleManifest) -> None:
    """Raise `ModelError` for a bundle that is older than what was installed of its model."""
    highest = trust.highest.get(manifest.model)
    if highest is None or manifest.counter > highest.counter:
        return
    what = f"{manifest.model} {manifest.version} has the number {manifest.counter}"
    if manifest.counter < highest.counter:
        message = f"{what}, and {highest.counter} was installed here; to go back to that which"
        message = f"{message} was in use before: assistant models rollback {manifest.model}"
        raise ModelError("model.older", message)
    if _sha256(manifest) != highest.sha256:
        message = f"{what}, as another bundle that was installed here; a new one needs a higher"
        raise ModelError("model.older", message)


def with_installed(trust: Trust, manifest: BundleManifest) -> Trust:
    """What is to be remembered once a bundle is installed."""
    installed = Installed(counter=manifest.counter, sha256=_sha256(manifest))
    return msgspec.structs.replace(trust, highest={**trust.highest, manifest.model: installed})


def _sha256(manifest: BundleManifest) -> str:
    return hashlib.sha256(canonical(manifest)).hexdigest()
