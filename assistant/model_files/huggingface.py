"""Files of the Hugging Face hub: their descriptions, and downloads that can be resumed.

`HF_ENDPOINT` names a mirror. Since version 2 the hub's own client restarts an interrupted download
from the beginning, so the bytes are fetched here.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import httpx2
import msgspec
from huggingface_hub import get_hf_file_metadata, get_session, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import HfHubHTTPError, HFValidationError

from assistant.core.errors import ModelError

CHUNK_BYTES = 1 << 16
TIMEOUT_S = 20.0

Report = Callable[[int], None]
"""Called with the number of bytes that have come since the last call."""


class Remote(msgspec.Struct, frozen=True, kw_only=True):
    """The hub's description of one file."""

    url: str
    bytes: int
    etag: str
    """SHA-256 for a file in large file storage, otherwise the SHA-1 of the git blob."""
    commit: str


def await_hub(within_s: float) -> None:
    """Return once the hub answers; raises `ModelError` when it does not within `within_s`."""
    endpoint = _endpoint()
    answers: list[str] = []

    def ask() -> None:
        try:
            get_session().head(endpoint, timeout=within_s)
        except httpx2.HTTPError as error:
            answers.append(_reason(error))
        else:
            answers.append("")

    # A resolver without a network keeps its caller waiting for longer than any timeout.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(within_s)
    reason = answers[0] if answers else f"no answer within {within_s:g} s"
    if reason:
        raise ModelError("model.unreachable", f"{endpoint} cannot be reached ({reason})")


def describe(repository: str, path: str, revision: str) -> Remote:
    """Ask the hub about a file; raises `ModelError`."""
    endpoint = _endpoint()
    where = f"{endpoint}/{repository}, file {path} at {revision}"
    try:
        url = hf_hub_url(repository, path, revision=revision, endpoint=endpoint)
        found = get_hf_file_metadata(
            url, token=False, timeout=TIMEOUT_S, library_name="hark", endpoint=endpoint
        )
    except HFValidationError as error:
        raise ModelError("model.source", f"{where}: {error}") from error
    except (httpx2.HTTPError, OSError) as error:
        raise _unreachable(where, error) from error
    if found.size is None or not found.etag:
        raise ModelError("model.hub", f"{where}: the server gives no size or hash for it")
    return Remote(
        url=found.location, bytes=found.size, etag=found.etag, commit=found.commit_hash or revision
    )


def fetch(remote: Remote, partial: Path, report: Report) -> None:
    """Fetch the bytes that `partial` lacks; those received stay there when the connection breaks.

    Raises `ModelError`, or `OSError` when the disk cannot be written.
    """
    have = partial.stat().st_size if partial.exists() else 0
    if have > remote.bytes:
        have = 0
    report(have)
    if have < remote.bytes:
        try:
            _stream(remote, partial, have, report)
        except (httpx2.HTTPError, HfHubHTTPError) as error:
            raise _unreachable(remote.url.partition("?")[0], error) from error
    size = partial.stat().st_size if partial.exists() else 0
    if size < remote.bytes:
        message = f"{size} of {remote.bytes} bytes came; run the command again to resume"
        raise ModelError("model.interrupted", message)


def _stream(remote: Remote, partial: Path, have: int, report: Report) -> None:
    # With compression, a range would not be a range of the file's own bytes.
    headers = {"Accept-Encoding": "identity", "Range": f"bytes={have}-"}
    request = get_session().stream(
        "GET", remote.url, headers=headers, timeout=TIMEOUT_S, follow_redirects=True
    )
    with request as response:
        hf_raise_for_status(response)
        if response.status_code != 206:
            report(-have)
            have = 0
        with partial.open("r+b" if have else "wb") as file:
            file.seek(have)
            file.truncate()
            for chunk in response.iter_bytes(CHUNK_BYTES):
                file.write(chunk)
                report(len(chunk))
                if file.tell() > remote.bytes:
                    where = remote.url.partition("?")[0]
                    message = f"{where} sends more than the {remote.bytes} bytes that it told"
                    raise ModelError("model.hub", message)
            file.flush()
            os.fsync(file.fileno())


def matches(etag: str, file: Path) -> bool:
    """Whether the content of `file` matches the hub's `etag`."""
    if len(etag) == 64:
        return sha256(file) == etag
    blob = hashlib.sha1(f"blob {file.stat().st_size}\0".encode(), usedforsecurity=False)
    blob.update(file.read_bytes())
    return blob.hexdigest() == etag


def sha256(file: Path) -> str:
    """The file's SHA-256, hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _unreachable(where: str, error: Exception) -> ModelError:
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        what = "is not there" if status == 404 else f"is refused with status {status}"
        return ModelError("model.hub", f"{where} {what}")
    message = (
        f"{where} cannot be reached ({_reason(error)}); check the network and run the command "
        "again, or fetch the files elsewhere and run: assistant models import NAME PATH"
    )
    return ModelError("model.unreachable", message)
