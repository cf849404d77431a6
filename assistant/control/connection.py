"""Connections at the control socket: who may connect, and reading and writing without waiting."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import socket
import struct
from pathlib import Path

from assistant.core.errors import ControlError

GROUP = "assistant"
LONGEST_LINE_BYTES = 65_536
MOST_UNSENT_BYTES = 1_000_000
RECEIVED_BYTES = 65_536
OVERFLOW_UID_FILE = Path("/proc/sys/kernel/overflowuid")


class Connection:
    """A connected caller; `watches` are the types of messages that are forwarded to it."""

    def __init__(self, peer: socket.socket, now_s: float) -> None:
        self._peer = peer
        self.asked_at_s = now_s
        """Time of its last request or, before the first, of its connection."""
        self._received = b""
        self._unsent = b""
        self.watches: tuple[type, ...] = ()

    @property
    def descriptor(self) -> int:
        """The connection's descriptor."""
        return self._peer.fileno()

    @property
    def behind(self) -> bool:
        """Whether the caller has something left to read."""
        return bool(self._unsent)

    @property
    def asks(self) -> bool:
        """Whether a request of the caller waits for its answer."""
        return b"\n" in self._received

    def line(self) -> bytes | None:
        """The next line; None while it is incomplete. Raises `ConnectionError` after the last.

        While a line waits no more is received, so a caller delays only itself.
        """
        if b"\n" not in self._received:
            with contextlib.suppress(BlockingIOError):
                self._received += self._receive()
        line, end, rest = self._received.partition(b"\n")
        if end:
            self._received = rest
            return line
        if len(line) > LONGEST_LINE_BYTES:
            raise ConnectionAbortedError("a line without end")
        return None

    def send(self, line: bytes) -> None:
        """Send `line`, now or when the caller reads; raises `ConnectionError` for a slow caller."""
        if self.descriptor < 0 or len(self._unsent) > MOST_UNSENT_BYTES:
            raise ConnectionAbortedError("the caller does not read")
        self._unsent += line
        self.flush()

    def flush(self) -> None:
        """Send as much as the caller takes; raises `ConnectionError` when it has hung up."""
        try:
            while self._unsent:
                self._unsent = self._unsent[self._peer.send(self._unsent) :]
        except BlockingIOError:
            return

    def close(self) -> None:
        """Hang up."""
        self._peer.close()

    def _receive(self) -> bytes:
        received = self._peer.recv(RECEIVED_BYTES) if self.descriptor >= 0 else b""
        if not received:
            raise ConnectionAbortedError("the caller hung up")
        return received


def listen(path: Path) -> socket.socket:
    """A listening socket at `path`, for this user and the group; replaces one without a daemon.

    Raises `ControlError` when another daemon listens there.
    """
    listener = bind(path)
    _admit_group(path)
    listener.listen()
    return listener


def bind(path: Path) -> socket.socket:
    """A socket at `path` for this user alone, not listening yet; otherwise as `listen`."""
    _refuse_living(path)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.setblocking(False)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        raise ControlError("control.socket", f"{path}: {error.strerror}") from error
    finally:
        os.umask(before)
    return listener


def allowed(peer: socket.socket) -> bool:
    """Whether the caller is this user, root, or in the group `assistant`."""
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, gid = struct.unpack("3i", credentials)
    return uid in (os.getuid(), 0, _overflow_uid()) or _in_group(uid, gid)


def _overflow_uid() -> int:
    # Under PrivateUsers= every other user has this id. The kernel has then already checked the
    # real id against the socket's owner, group and mode when the caller connected.
    # ProcSubset=pid hides the file; then the kernel's default is used.
    return int(OVERFLOW_UID_FILE.read_text()) if OVERFLOW_UID_FILE.exists() else 65534


def _in_group(uid: int, gid: int) -> bool:
    try:
        return grp.getgrnam(GROUP).gr_gid in os.getgrouplist(pwd.getpwuid(uid).pw_name, gid)
    except KeyError:
        return False


def _admit_group(path: Path) -> None:
    with contextlib.suppress(KeyError, PermissionError):
        group = grp.getgrnam(GROUP).gr_gid
        # The service runs in the group already, and its sandbox refuses every chown.
        if path.stat().st_gid != group:
            os.chown(path, -1, group)
        path.chmod(0o660)


def _refuse_living(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return
        except BlockingIOError:
            pass
    message = f"another assistant answers at {path}; stop it first"
    raise ControlError("control.taken", message)
