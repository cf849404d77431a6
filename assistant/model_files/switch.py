"""Switching to another version of a model: in the running daemon, or stored for its next start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.control.client import ControlClient
from assistant.core.config import Config
from assistant.core.errors import ControlError, ModelError
from assistant.core.layout import TRIALS_FILES
from assistant.core.models.manifest import Library
from assistant.model_files.acceptance import KINDS, put_in_use, refuse_unsound, require

SILENCE_S = 300.0
"""Seconds to wait for the daemon: a new intent model is first fitted to the installed skills, which
takes minutes on a slow board."""
NOT_THERE = ("control.down", "control.not_running")


def use(config: Config, name: str, version: str, *, known: bool = False) -> bool:
    """Put `version` of the model in use; return whether a running daemon uses it now.

    A version that is `known` to be sound is checked only by the daemon, when one runs. Raises
    `ModelError` when it is refused, and `ControlError` when the daemon does not answer; then
    nothing has changed.
    """
    library = Library(config.models_dir).choosing(name, version)
    require(library, name)
    if not known:
        # First in this process: a candidate that crashes should not crash the daemon's process.
        refuse_unsound(library, name)
    stage = KINDS[library.artefact(name).kind].stage
    control = ControlClient(config.control_socket)
    try:
        _ask(control, stage, name, version)
    except ControlError as error:
        if error.code not in NOT_THERE:
            raise
        if known:
            refuse_unsound(library, name)
        put_in_use(library, name)
        return False
    return True


def try_out(config: Config, name: str, version: str, share: float, utterances: int) -> None:
    """Have the running daemon try `version` of the model on a share of that many utterances.

    Raises as `use` does, and `ControlError` when no daemon runs.
    """
    library = Library(config.models_dir).choosing(name, version)
    require(library, name)
    stage = KINDS[library.artefact(name).kind].stage
    if stage not in TRIALS_FILES:
        message = f"{name} cannot be tried on a share; put it in use: assistant models use"
        raise ModelError("model.no_trial", f"{message} {name} {version}")
    refuse_unsound(library, name)
    _ask(ControlClient(config.control_socket), stage, name, version, str(share), str(utterances))


def roll_back(config: Config, name: str) -> tuple[str, bool]:
    """Put the previous version in use; return it, and whether a running daemon uses it now.

    Raises as `use` does, and `ModelError` when there is no previous version.
    """
    library = Library(config.models_dir)
    use_now = library.in_use(name)
    if not use_now.before:
        message = f"{name} {use_now.version} is in use, and no other was before it"
        raise ModelError("model.no_before", message)
    return use_now.before, use(config, name, use_now.before, known=True)


def _ask(control: ControlClient, stage: str, name: str, version: str, *trial: str) -> None:
    answers = control.follow("use", SILENCE_S, (stage, name, version, *trial))
    for answer in _from(answers, stage):
        if answer["type"] == "StageRestarted":
            message = f"{stage} ended over it ({answer['reason']}) and runs what it had"
            raise ModelError("model.unusable", f"{name} {version}: {message}")
        if answer["type"] == "Replaced" and (answer["model"], answer["version"]) == (name, version):
            if answer["error"]:
                raise ModelError("model.refused", answer["error"])
            return
    raise ControlError("control.silent", f"the daemon ended before it told of {name} {version}")


def _from(answers: Iterator[dict[str, Any]], stage: str) -> Iterator[dict[str, Any]]:
    return (answer for answer in answers if answer["stage"] == stage)
