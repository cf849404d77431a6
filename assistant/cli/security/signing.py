"""`assistant models sign`, `bundle` and `keys …`: what a maintainer of signed models does."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.models.manifest import Library
from assistant.model_files.signing.bundle import (
    ENDING,
    MANIFEST,
    SIGNATURE,
    describe,
    write_bundle,
)
from assistant.model_files.signing.canonical import canonical
from assistant.model_files.signing.making import pack, sign_file, write, write_list
from assistant.model_files.signing.minisign import (
    SUFFIX,
    SecretKey,
    make_key,
    read_secret,
    write_key,
)
from assistant.model_files.signing.oci import write_layout

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Key = Annotated[Path, typer.Option(help="A secret key in minisign's format.")]
KeyList = Annotated[Path, typer.Argument(metavar="LIST", help="Such as keys.json.")]

keys = typer.Typer(no_args_is_help=True, help="Keys that sign models: make, list, sign a list.")


@keys.command()
def make(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="Makes NAME.key and NAME.pub.")],
    password: Annotated[
        bool, typer.Option(help="Encrypt the secret key, as minisign does.")
    ] = True,
) -> None:
    """Make a key: a secret one to be kept off the network, and a public one to be passed on."""
    secret, public = (name.with_name(f"{name.name}.{end}") for end in ("key", "pub"))
    key = make_key()
    write_key(key, secret, public, _new_password() if password else "")
    _say(f"{secret} is the secret key {key.public.name}, {public} the public one")


@keys.command("list")
def list_keys(
    file: KeyList,
    public: Annotated[list[Path], typer.Argument(help="Public keys that may sign models.")],
) -> None:
    """Write the next list of keys that may sign models; one that is left out is revoked."""
    listed = write_list(file, public)
    message = f"{file} is list {listed.counter}, of {len(listed.keys)} keys; now have two root keys"
    _say(f"{message} sign it: assistant models keys sign {file} --key ROOT.key")


@keys.command("sign")
def sign_list(file: KeyList, key: Key) -> None:
    """Sign a list of keys by a root key."""
    secret = _opened(key)
    signature = file.with_name(f"{file.name}.{secret.public.name}{SUFFIX}")
    sign_file(file, secret, signature)
    _say(f"{signature} is the signature of {file} by the key {secret.public.name}")


def sign(
    name: Annotated[str, typer.Argument(help="As `assistant models list` shows it.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The model's files.")],
    version: Annotated[str, typer.Option(help="Of this model, as it will be known.")],
    counter: Annotated[int, typer.Option(help="Higher than that of any earlier bundle of it.")],
    key: Annotated[
        Path | None, typer.Option(help="A secret key in minisign's format; none to sign later.")
    ] = None,
    config: Config = None,
) -> None:
    """Describe a version of a model in FOLDER/bundle.json, and sign that."""
    library = Library(load_config(config_files(config))[0].models_dir)
    library.version_folder(name, version)  # which raises for what is no version's name
    manifest = describe(name, library.artefact(name), version, counter, folder)
    # Read first, so that a wrong password leaves the files as they were.
    secret = None if key is None else _opened(key)
    write(folder / MANIFEST, canonical(manifest))
    if secret is None:
        _say(f"{folder / MANIFEST} is written; to sign it: minisign -S -m {folder / MANIFEST}")
        return
    sign_file(folder / MANIFEST, secret, folder / SIGNATURE)
    message = f"{name} {version} (number {counter}) in {folder} is signed by {secret.public.name}"
    _say(f"{message}; next: assistant models bundle {folder} --keys KEYS.json")


def bundle(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A signed model's files.")],
    keys: Annotated[Path, typer.Option(help="The list of signing keys, its signatures beside it.")],
    out: Annotated[Path | None, typer.Option(help="The bundle; NAME-VERSION.hark.")] = None,
    oci: Annotated[
        Path | None, typer.Option(help="A new folder, for an OCI image layout, in place of a file.")
    ] = None,
) -> None:
    """Make one file of a signed model, to be imported elsewhere; this needs no secret key."""
    packed = pack(folder, keys)
    manifest = packed.manifest
    if oci is not None:
        write_layout(packed, folder, oci)
    if out is not None or oci is None:
        out = out or Path(f"{manifest.model}-{manifest.version}{ENDING}")
        write_bundle(packed, folder, out)
    for made in filter(None, (out, oci)):
        message = f"{made} holds {manifest.model} {manifest.version} (number {manifest.counter})"
        _say(f"{message}; to check it: assistant models verify {made}")


def _opened(key: Path) -> SecretKey:
    return read_secret(key, lambda: _typed(f"Password of {key}: "))


def _new_password() -> str:
    if not sys.stdin.isatty():
        message = "the password is typed at a terminal, and standard input is none; without: "
        raise InputError("model.password", f"{message}--no-password")
    password = _typed("Password of the secret key (it is not shown): ")
    if not password:
        raise InputError("model.password", "a key without a password is made by: --no-password")
    if _typed("The same again: ") != password:
        raise InputError("model.password", "the two are not the same; no key was made")
    return password


def _typed(prompt: str) -> str:
    try:
        return getpass(prompt)
    except EOFError as error:
        raise InputError("model.password", "no password was typed; nothing has changed") from error


def _say(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
