"""What a device is like in, findings with their remedies out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assistant.cli.doctor import doctor as command
from assistant.core.config import AsrSettings, Config, HomeSettings, StorageSettings
from assistant.core.confinement.rights import CALLS_FILTER
from assistant.core.errors import (
    AssistantError,
    AudioError,
    ControlError,
    InputError,
    SpeakingError,
)
from assistant.core.models.manifest import Library
from assistant.core.settings.hearing import AudioSettings
from assistant.core.settings.security import Profile, SecuritySettings
from assistant.doctor import checks, probes
from assistant.doctor.checks import Finding
from assistant.doctor.probes import FolderProbe, Microphone, Session, SpeechProbe
from assistant.model_files.acceptance import put_in_use
from audio.mute.switch import MuteSwitch
from benchmarks.endurance.versions import add
from skills.later.evidence import Evidence

GONE = AudioError("audio.no_device", "no input device")
DOWN = ControlError("control.down", "no daemon answers")
SILENT = ControlError("control.silent", "the daemon does not answer")
INSTEAD = SpeechProbe("flite", 0.05, 2.0, {"piper": "no voice; run: pull"})
HOME = Path("/var/lib/hark")


@pytest.mark.parametrize(
    ("finding", "detail", "remedy"),
    [
        (checks.microphone(Microphone(-45.2)), "45 dB below full scale", ""),
        (checks.microphone(Microphone(-45.0, by_daemon=True)), "running daemon", ""),
        (checks.microphone(Microphone(-120.0)), "silence", "unmute"),
        (
            checks.microphone(Microphone(-50.0, devices="USB (passed over: pulse: muted)")),
            "50 dB below full scale; USB (passed over: pulse: muted)",
            "",
        ),
        (checks.microphone(Microphone(-3.0)), "overdriven", "lower it"),
        (checks.microphone(GONE), "no input device", "audio.input"),
        (checks.loudspeaker("default", 48000), '"default" opens at 48000 Hz', ""),
        (checks.loudspeaker("x", GONE), "no input device", "audio.output"),
        (checks.sound(Session(1, True)), "1 sound card", ""),
        (checks.sound(Session(2, False)), "may not use", "usermod -aG audio"),
        (checks.sound(Session(2, False, ("PipeWire",))), "through PipeWire", ""),
        (checks.sound(Session(0, True)), "0 sound cards", "connect a sound card"),
        (checks.wake_word("porcupine"), "porcupine runs on this CPU", ""),
        (checks.wake_word(GONE), "no input", "wake.keywords"),
        (checks.voice("auto", SpeechProbe("flite", 0.05, 2.0)), "2.0 s of speech in 50 ms", ""),
        (checks.voice("piper", SpeechProbe("piper", 1.9, 2.0)), "1900 ms", "flite"),
        (checks.voice("piper", INSTEAD), "in place of piper", "run: pull"),
        (checks.voice("piper", SpeechProbe("flite", 0.05, 2.0)), "in place of piper", "journalctl"),
        (checks.voice("auto", SpeakingError("voice.none", "no voice")), "no voice", "flite"),
        (checks.names((), ()), "can be said", ""),
        (checks.names(("home: light.a is left out",), ()), "light.a", "another name"),
        (checks.names((), ("asr",)), "asr", "named last"),
        (checks.names(InputError("home.malformed", "home: no YAML"), ()), "no YAML", "mend"),
        (checks.state(FolderProbe(HOME, 10**9)), "1000 MB free", ""),
        (checks.state(FolderProbe(HOME, 10**6)), "1 MB free", "free some space"),
        (checks.state(FolderProbe(HOME, 10**9, "Permission denied")), "Permission denied", "sudo"),
        (checks.clock(Evidence.NETWORK), "set by network time", ""),
        (checks.clock(Evidence.BATTERY), "kept by a battery", ""),
        (checks.clock(Evidence.AWAITED), "not set by network time yet", "the clock is right"),
        (checks.clock(Evidence.WRONG), "surely wrong", "planned by the clock waits"),
        (checks.clock(Evidence.NONE), "nothing tells", "set-ntp"),
        (checks.service("active", None), "assistant.service is active", ""),
        (checks.service("failed", DOWN), "is failed", "journalctl"),
        (checks.service("active", SILENT), "does not answer", "systemctl restart"),
        (checks.service("", None), "not as a service", ""),
        (checks.service("", DOWN), "not installed as a service", "make install"),
        (checks.memory(10**9), "1000 MB", ""),
        (checks.memory(10**8), "100 MB", "close programs"),
    ],
)
def test_each_finding_tells_what_is_and_what_to_do(
    finding: Finding, detail: str, remedy: str
) -> None:
    assert detail in finding.detail
    assert remedy in finding.remedy
    assert finding.ok is (remedy == "") is (finding.remedy == "")


@pytest.mark.parametrize("heard", [GONE, Microphone(-120.0)])
def test_without_a_microphone_the_assistant_does_not_work(
    heard: Microphone | AssistantError,
) -> None:
    finding = checks.microphone(heard)
    assert finding.necessary
    assert not finding.ok


@pytest.mark.parametrize(
    ("engine", "pocketsphinx", "ok"),
    [
        ("auto", True, True),
        ("auto", False, False),
        ("pocketsphinx", True, True),
        ("whisper", True, False),
    ],
)
def test_the_recogniser_of_the_settings_must_be_there(
    tmp_path: Path, engine: str, pocketsphinx: bool, ok: bool
) -> None:
    config = Config(asr=AsrSettings(engine=engine))
    assert checks.recognition(config, Library(tmp_path), pocketsphinx).ok is ok


def test_a_whisper_model_that_the_manifest_does_not_know_is_told(tmp_path: Path) -> None:
    config = Config(asr=AsrSettings(model="whisper-huge"))
    finding = checks.recognition(config, Library(tmp_path), True)
    assert "whisper-tiny.en" in finding.detail
    assert finding.remedy == "change asr.model"


def test_a_corrupt_model_is_found_and_an_absent_one_is_none(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert all(finding.ok for finding in checks.models(library))
    folder = tmp_path / "piper-lessac-low"
    folder.mkdir()
    (folder / "voice.onnx").write_bytes(b"x")
    (finding,) = (found for found in checks.models(library) if not found.ok)
    assert (finding.name, finding.ok) == ("model piper-lessac-low", False)
    assert finding.remedy == "run: assistant models pull piper-lessac-low"


def test_the_version_in_use_is_looked_at(tmp_path: Path) -> None:
    library = Library(tmp_path)
    add(library, "ner", "2", seed=2)
    put_in_use(library.choosing("ner", "2"), "ner")
    (finding,) = (found for found in checks.models(library) if found.name == "model ner")
    assert (finding.ok, finding.detail) == (True, "version 2, as recorded")
    (library.version_folder("ner", "2") / "model.onnx").unlink()
    (finding,) = (found for found in checks.models(library) if found.name == "model ner")
    assert (finding.ok, finding.remedy) == (False, "run: assistant models rollback ner")


@pytest.mark.parametrize(
    ("refused", "others", "ok", "told"),
    [
        ((), (), True, "a skill of somebody else is confined"),
        (
            ("a network namespace (Operation not permitted)", "Landlock"),
            ("/srv/tides",),
            True,
            "by its filter of system calls; this kernel lacks a network namespace",
        ),
        ((CALLS_FILTER,), (), False, "of the skills of others none would run"),
        ((CALLS_FILTER, "Landlock"), ("/srv/tides",), False, "Landlock: of the skills of others"),
    ],
)
def test_what_the_kernel_lacks_to_confine_skills_is_told(
    refused: tuple[str, ...], others: tuple[str, ...], ok: bool, told: str
) -> None:
    finding = checks.skills(refused, others)
    assert (finding.ok, bool(finding.remedy), finding.necessary) == (ok, not ok, False)
    assert told in finding.detail


def test_the_probes_read_this_machine() -> None:
    assert probes.spare_memory_bytes() > 0
    assert probes.installed("numpy")
    assert not probes.installed("no_such_package")
    assert probes.session().cards >= 0
    assert isinstance(probes.unit(), str)
    assert isinstance(probes.clock(), Evidence)


def test_a_folder_that_will_be_made_is_judged_by_what_is_there(tmp_path: Path) -> None:
    found = probes.folder(tmp_path / "not" / "yet")
    assert (found.fault, found.free_bytes > 0) == ("", True)
    assert not (tmp_path / "not").exists()
    assert probes.folder(Path("/proc/hark")).fault


def test_the_command_ends_with_status_1_and_one_object_a_line(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[audio]\ninput = "no such microphone"\noutput = "none"\n'
        f'[storage]\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n'
    )
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, ["--config", str(file), "--json"])
    findings = {f["name"]: f for f in map(json.loads, result.stdout.splitlines())}
    assert result.exit_code == 1
    assert not findings["microphone"]["ok"]
    assert findings["loudspeaker"]["ok"]
    assert findings["state directory"]["ok"]
    assert all(f["mend"] for f in findings.values() if not f["ok"])
    table = CliRunner().invoke(app, ["--config", str(file)])
    assert (table.exit_code, "microphone" in table.stdout) == (1, True)


def test_a_muted_microphone_is_no_fault_and_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(
        audio=AudioSettings(input="no such microphone"),
        storage=StorageSettings(state=str(tmp_path), runtime=str(tmp_path)),
    )
    assert not next(checks.examine(config)).ok
    MuteSwitch.of(config).mute()
    monkeypatch.setattr(probes, "microphone", lambda _: pytest.fail("it was opened"))
    found = next(checks.examine(config))
    assert (found.name, found.ok) == ("microphone", True)
    assert "assistant unmute" in found.detail


@pytest.mark.parametrize(
    ("pin", "rooms", "ok", "told"),
    [
        (True, {}, True, "a PIN is set, needed for lock"),
        (False, {}, False, "no PIN is set, needed for lock"),
        (True, {"nursery": "child"}, True, 'the profile here is "child", which denies todo, timer'),
        (True, {"kitchen": "child"}, True, "a PIN is set, needed for lock"),
    ],
)
def test_what_needs_the_pin_is_told_and_whether_there_is_one(
    pin: bool, rooms: dict[str, str], ok: bool, told: str
) -> None:
    security = SecuritySettings(
        pin_for=("lock",), profiles={"child": Profile(denied=("todo", "timer"))}, rooms=rooms
    )
    config = Config(security=security, home=HomeSettings(area="nursery"))
    found = checks.rights(config, pin)
    assert found.ok is ok
    assert found.detail.endswith(told)
    assert ("assistant pin set" in found.remedy) is not ok


def test_nothing_needs_a_pin_unless_the_settings_say_so() -> None:
    assert checks.rights(Config(), False).ok
