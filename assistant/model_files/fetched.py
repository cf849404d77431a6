"""Bundles that are fetched: from the Hugging Face hub, or from any server, such as one at home.

Nothing vouches for such a server: what it sends is bounded, and believed for its signature alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from huggingface_hub import get_session

from assistant.core.errors import ModelError
from assistant.model_files import huggingface
from assistant.model_files.huggingface import TIMEOUT_S, Remote
from assistant.model_files.incoming import INCOMING, Progress, refuse_full
from assistant.model_files.signing.bundle import ENDING

HUB = "hf:"
LARGEST_BYTES = 8_000_000_000
"""Most bytes of a bundle."""


def names_bundle(source: str) -> bool:
    """Whether this is where a bundle can be fetched, and no model's name."""
    return source.startswith((HUB, "https://", "http://"))


@contextmanager
def fetched(pulled: Path, source: str, progress: Progress) -> Iterator[Path]:
    """A block with the bundle of "hf:OWNER/REPOSITORY/PATH" or of a URL, in a temporary file.

    What an interrupted fetch has left is resumed. Raises `ModelError`.
    """
    remote = _described(source)
    if remote.bytes > LARGEST_BYTES:
        raise ModelError("model.unfit", f"{source} is too large for a bundle")
    folder, name = pulled / INCOMING, source.rpartition("/")[2]
    of_this = hashlib.sha256(f"{source} {remote.etag} {remote.bytes}".encode()).hexdigest()
    partial = folder / f"{of_this}{ENDING}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = partial.stat().st_size if partial.exists() else 0
        refuse_full(folder, remote.bytes - there)
        huggingface.fetch(remote, partial, lambda more: progress(name, more, remote.bytes))
    except OSError as error:
        message = f"{error.filename or partial}: {error.strerror}; nothing was changed"
        raise ModelError("model.disk", message) from error
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def _described(source: str) -> Remote:
    if source.startswith(HUB):
        owner, _, rest = source.removeprefix(HUB).partition("/")
        repository, _, path = rest.partition("/")
        if not path:
            message = f"{source} names no file on the hub: {HUB}OWNER/REPOSITORY/FILE{ENDING}"
            raise ModelError("model.source", message)
        return huggingface.describe(f"{owner}/{repository}", path, "main")
    try:
        # With compression, the size would not be that of the file's own bytes.
        headers = {"Accept-Encoding": "identity"}
        answer = get_session().head(
            source, headers=headers, timeout=TIMEOUT_S, follow_redirects=True
        )
        answer.raise_for_status()
        size = int(answer.headers["Content-Length"])
    except (httpx2.HTTPError, httpx2.InvalidURL, KeyError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        message = f"{source} cannot be fetched, or does not say its size ({reason})"
        raise ModelError("model.unreachable", message) from error
    etag = answer.headers.get("ETag", "")
    return Remote(url=source, bytes=size, etag=etag, commit="")
