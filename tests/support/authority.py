"""An authority of certificates that tests make."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path


class Authority:
    """Signs certificates; its own is `file`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder, self.file = folder, folder / "ca.crt"
        usage = ("-addext", "keyUsage=critical,keyCertSign")
        _openssl(folder, "req", "-x509", *_KEY, "ca.key", *_named("CA"), *usage, "-out", "ca.crt")

    def sign(self, name: str, days: int = 2) -> tuple[Path, Path]:
        """The files of a new certificate for `name` ("IP:…", "DNS:…") and of its key.

        With negative `days`, it ended so many days ago: `openssl x509` makes no such one any more.
        """
        _openssl(self._folder, "req", *_KEY, "key", *_named("server"), "-out", "request")
        facts = f"subjectAltName={name}\nauthorityKeyIdentifier=keyid\n"
        (self._folder / "facts").write_text(facts, "utf-8")
        (self._folder / "index").write_text("", "ascii")
        (self._folder / "settings").write_text(_CA_SETTINGS, "ascii")
        end = datetime.now(UTC) + timedelta(days=days)
        dates = ("-startdate", _date(end - timedelta(days=9)), "-enddate", _date(end))
        files = ("-config", "settings", "-extfile", "facts", "-in", "request", "-out", "crt")
        _openssl(self._folder, "ca", "-batch", "-notext", "-create_serial", *files, *dates)
        return self._folder / "crt", self._folder / "key"


_CA_SETTINGS = """
[ca]
default_ca = own
[own]
dir = .
database = index
serial = serial
new_certs_dir = .
certificate = ca.crt
private_key = ca.key
default_md = sha256
policy = any
[any]
commonName = supplied
"""


def _date(moment: datetime) -> str:
    return moment.strftime("%Y%m%d%H%M%SZ")


_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout")


def _named(name: str) -> tuple[str, str]:
    return ("-subj", f"/CN={name}")


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(("openssl", *arguments), cwd=folder, check=True, capture_output=True)
