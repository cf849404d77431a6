"""The real Radicale, a CalDAV server, with one calendar of one user."""

from __future__ import annotations

import base64
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from tests.support.network import free_port

USER, PASSWORD = "anna", "open sesame"
ALL = "RrWw"
"""Rights to everything."""
PATIENCE_S = 60.0
CALENDAR = (
    '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>'
    "<D:displayname>Home</D:displayname></D:prop></D:set></C:mkcalendar>"
)
_direct = build_opener(ProxyHandler({}))


def event(uid: str, title: str, starts: str, *more: str) -> str:
    """A calendar with one event of an hour; `starts` is as in 20260109T150000."""
    ends = f"{starts[:9]}{int(starts[9:11]) + 1:02}{starts[11:]}"
    lines = (
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Phone//EN", "BEGIN:VEVENT"),
        *(f"UID:{uid}", f"SUMMARY:{title}", f"DTSTART:{starts}", f"DTEND:{ends}"),
        *("DTSTAMP:20260101T000000Z", *more, "END:VEVENT", "END:VCALENDAR", ""),
    )
    return "\r\n".join(lines)


def password_file(folder: Path) -> Path:
    """A file of the password, which its owner alone may read."""
    file = folder / "password"
    file.write_text(f"{PASSWORD}\n", "utf-8")
    file.chmod(0o600)
    return file


class Radicale:
    """A process of Radicale, and what a phone would do there."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.set_password(PASSWORD)
        self._rights = folder / "rights"
        self.may(ALL)
        self._settings = folder / "config"
        self._settings.write_text(
            f"[server]\nhosts = 127.0.0.1:{self.port}\n"
            f"[auth]\ntype = htpasswd\nhtpasswd_filename = {folder / 'users'}\n"
            "htpasswd_encryption = plain\ndelay = 0\n"
            f"[rights]\ntype = from_file\nfile = {self._rights}\n"
            f"[storage]\nfilesystem_folder = {folder / 'collections'}\n",
            "utf-8",
        )

    @property
    def url(self) -> str:
        """The calendar's address."""
        return f"http://127.0.0.1:{self.port}/{USER}/home/"

    def set_password(self, password: str) -> None:
        """Let the user in with another password from the next start on."""
        self._password = password
        (self._folder / "users").write_text(f"{USER}:{password}\n", "utf-8")

    def may(self, rights: str) -> None:
        """Give the user these rights to everything, from the next start on."""
        self._allowed = rights
        self._rights.write_text(
            f"[all]\nuser: .+\ncollection: .*\npermissions: {rights}\n", "utf-8"
        )

    def start(self) -> None:
        """Start it; its calendar is there when this returns."""
        with (self._folder / "log").open("ab") as log:
            command = [sys.executable, "-m", "radicale", "--config", str(self._settings)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
            except OSError:
                time.sleep(0.05)
            else:
                break
        else:
            raise AssertionError("radicale does not start")
        if self._ask("PROPFIND", "", "", Depth="0")[0] == 404:
            assert self._ask("MKCALENDAR", "", CALENDAR)[0] == 201

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator[Radicale]:
        """One that has started."""
        with closing(cls(folder / "radicale")) as there:
            there.start()
            yield there

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    close = stop

    def renew(self) -> None:
        """Be as it was at first, whatever it has become."""
        if self._process is None or (self._password, self._allowed) != (PASSWORD, ALL):
            self.stop()
            self.set_password(PASSWORD)
            self.may(ALL)
            self.start()
        assert self._ask("DELETE", "", "")[0] == 200
        assert self._ask("MKCALENDAR", "", CALENDAR)[0] == 201

    def put(self, name: str, text: str) -> None:
        """Put an event there."""
        status, answer = self._ask("PUT", f"{name}.ics", text, Content_Type="text/calendar")
        assert status in (201, 204), answer

    def remove(self, name: str) -> None:
        """Remove an event."""
        assert self._ask("DELETE", f"{name}.ics", "")[0] == 200

    def text(self, name: str) -> str:
        """An event as it is there, with plain line breaks; "" for none."""
        status, answer = self._ask("GET", f"{name}.ics", "")
        return answer.replace("\r\n", "\n") if status == 200 else ""

    def whole(self) -> str:
        """The whole calendar."""
        return self._ask("GET", "", "")[1].replace("\r\n", "\n")

    def _ask(self, method: str, name: str, body: str, **headers: str) -> tuple[int, str]:
        proof = base64.b64encode(f"{USER}:{self._password}".encode()).decode()
        request = Request(
            f"{self.url}{quote(name)}",
            data=body.encode() or None,
            method=method,
            headers={
                "Authorization": f"Basic {proof}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        try:
            with _direct.open(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()
