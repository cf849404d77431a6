"""The mute switch: a file that says that no microphone may be open.

The file is the truth. It is made by `assistant mute`, by the button and by what is said, and the
audio process looks at it. No message of the bus opens a microphone again, so none can be forged.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from assistant.core.config import Config
from assistant.core.errors import StorageError
from assistant.core.files import make_private, sync
from assistant.core.layout import MUTED_FILE


class MuteSwitch:
    """A switch with a file in the folder `state`, and another in `runtime`.

    The second one holds at once where the disk of the first is slow, and until the machine is
    started again where that disk cannot be written.
    """

    def __init__(self, state: Path, runtime: Path) -> None:
        self._durable, self._quick = state / MUTED_FILE, runtime / MUTED_FILE

    @classmethod
    def of(cls, config: Config) -> MuteSwitch:
        """The switch of the daemon with these settings."""
        return cls(config.state_dir, config.runtime_dir)

    @property
    def on(self) -> bool:
        """Whether the assistant is muted; true also where that cannot be read."""
        return _is_there(self._quick) or _is_there(self._durable)

    def mute(self) -> None:
        """Mute, on the disk before this returns.

        Raises `StorageError` where it holds only until the machine is started again, or not at all.
        """
        holds = "it is muted until this machine is started again" if self._hold() else "not muted"
        try:
            make_private(self._durable.parent)
            self._durable.touch(mode=0o600)
            sync(self._durable)
            sync(self._durable.parent)
        except OSError as error:
            raise _refusal(self._durable, error, holds) from error

    def unmute(self) -> None:
        """Let the microphone open again; raises `StorageError` where it stays muted."""
        for file in (self._durable, self._quick):
            try:
                file.unlink()
                sync(file.parent)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _refusal(file, error, "it stays muted") from error

    def _hold(self) -> bool:
        """Make the quick file, where there is a folder for it; whether it is there."""
        with suppress(OSError):
            self._quick.touch(mode=0o600)
        return self._quick.exists()


def _is_there(file: Path) -> bool:
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _refusal(file: Path, error: OSError, holds: str) -> StorageError:
    return StorageError("storage.unwritable", f"{file}: {error.strerror}; {holds}")
