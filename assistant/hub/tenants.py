"""Who may use the hub: a file of tenants, each with its own home, skills, documents and rights.

```toml
[seaside]
key = "sha256:…"            # of the key that `assistant hub key seaside` prints once
home = "seaside/home.yaml"  # areas and devices; paths are from this file's folder
documents = "seaside/docs"  # a file or folder that questions are answered from
skills = ["seaside/spa"]    # folders of skills of its own
without = ["music"]         # skills that it does not have
calls = ["interpret"]       # what it may ask for; all without this line
requests_per_s = 10.0
burst = 40
```

The file holds hashes alone. A key has 256 random bits, so that one round of SHA-256 is enough: a
slow hash protects what can be guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError
from assistant.core.files import read_text

KEY_BYTES = 32
PREFIX = "sha256:"
NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"

CallName = Literal["interpret", "answer", "summarise", "speak", "hear", "models"]
CALLS: tuple[CallName, ...] = get_args(CallName)
Hash = Annotated[str, Meta(pattern=f"^{PREFIX}[0-9a-f]{{64}}$")]


class Tenant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one tenant; "" of what it does not have."""

    key: Hash = ""
    """Hash of its key; "" only for the one tenant of a hub without a file."""
    home: str = ""
    documents: str = ""
    skills: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    """Folders of skills that it has beside those that are built in."""
    grants: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Skill → what it may use, as in the settings' `[skills.grants]`; on a hub no skill does."""
    without: tuple[str, ...] = ()
    """Names of skills that it does not have."""
    calls: tuple[CallName, ...] = CALLS
    """What it may ask for."""
    requests_per_s: Annotated[float, Meta(gt=0)] = 10.0
    burst: Annotated[int, Meta(ge=1)] = 40
    """Requests that it may make at once after a pause."""


class KnownTenants(Mapping[str, Tenant]):
    """The tenants that the gateway lets in at this moment; others may be put in their place."""

    def __init__(self, tenants: Mapping[str, Tenant]) -> None:
        self._tenants = tenants

    def become(self, tenants: Mapping[str, Tenant]) -> None:
        """Know these from now on; a reader sees the former ones or these."""
        self._tenants = tenants

    def __getitem__(self, name: str) -> Tenant:
        return self._tenants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tenants)

    def __len__(self) -> int:
        return len(self._tenants)


def new_key() -> str:
    """A key that nobody has."""
    return secrets.token_urlsafe(KEY_BYTES)


def hash_of(key: str) -> str:
    """What is kept of a key."""
    return PREFIX + hashlib.sha256(key.encode()).hexdigest()


def load_tenants(file: Path) -> dict[str, Tenant]:
    """Name → tenant of a file; raises `ConfigError` that names what is wrong in it."""
    try:
        document = tomllib.loads(read_text(file))
    except OSError as error:
        raise ConfigError("hub.tenants", f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("hub.tenants", f"{file}: {error}") from error
    tenants = {name: _tenant(file, name, values) for name, values in document.items()}
    if not tenants:
        raise ConfigError("hub.tenants", f"{file}: there is no tenant; {_remedy('NAME')}")
    _refuse_shared_keys(file, tenants)
    return tenants


def tenant_with(key: str, tenants: Mapping[str, Tenant]) -> str | None:
    """The name of the tenant whose key this is; it takes as long for any key."""
    presented, found = hash_of(key).encode(), None
    for name, tenant in tenants.items():
        if hmac.compare_digest(presented, tenant.key.encode()):
            found = name
    return found


def _tenant(file: Path, name: str, values: Any) -> Tenant:
    where = f"{file}: [{name}]"
    try:
        msgspec.convert(name, Annotated[str, Meta(pattern=NAME)])
    except msgspec.ValidationError as error:
        told = f"{where}: a tenant's name has small letters, digits and hyphens, at most 63"
        raise ConfigError("hub.tenants", told) from error
    if not isinstance(values, dict):
        raise ConfigError("hub.tenants", f"{where} must be a section")
    for key in values.keys() - set(Tenant.__struct_fields__):
        near = did_you_mean(key, Tenant.__struct_fields__)
        raise ConfigError("hub.tenants", f'{where}: there is no "{key}"; {near}')
    try:
        tenant = msgspec.convert(values, Tenant)
    except msgspec.ValidationError as error:
        raise ConfigError("hub.tenants", f"{where}: {error}") from error
    if not tenant.key:
        raise ConfigError("hub.tenants", f"{where}: it has no key; {_remedy(name)}")
    return msgspec.structs.replace(
        tenant,
        home=_path(file, name, tenant.home),
        documents=_path(file, name, tenant.documents),
        skills=tuple(_path(file, name, folder) for folder in tenant.skills),
    )


def _path(file: Path, name: str, named: str) -> str:
    if not named:
        return ""
    path = (file.parent / Path(named).expanduser()).resolve()
    if not path.exists():
        raise ConfigError("hub.tenants", f"{file}: [{name}]: there is no {path}")
    return str(path)


def _refuse_shared_keys(file: Path, tenants: Mapping[str, Tenant]) -> None:
    owners: dict[str, str] = {}
    for name, tenant in tenants.items():
        other = owners.setdefault(tenant.key, name)
        if other != name:
            told = f"{file}: [{other}] and [{name}] have one key; {_remedy(name)}"
            raise ConfigError("hub.tenants", told)


def _remedy(name: str) -> str:
    return f"run assistant hub key {name}, and put the line that it prints there"
