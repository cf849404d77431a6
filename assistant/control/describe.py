"""One-line descriptions of events, for people who watch."""

from __future__ import annotations

from assistant.core.documents.messages import Phrase, Phrased
from assistant.core.messages import (
    Asked,
    BargeIn,
    CalendarChanged,
    CalendarCommand,
    CalendarReport,
    Command,
    Commit,
    Compare,
    Compared,
    Complete,
    DeviceChanged,
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    DocumentSummary,
    Generated,
    HomeCommand,
    HomeDescribed,
    HomeForecasts,
    HomeLists,
    HomeReceipt,
    HomeStates,
    Interpretation,
    KeepSound,
    Level,
    ListenHere,
    Message,
    ModelsUsed,
    MusicLibrary,
    MuteChanged,
    NothingHeard,
    OpenQuestion,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    QualityAlert,
    Question,
    Reload,
    Reloaded,
    ReloadProgress,
    Replace,
    Replaced,
    RoomTimers,
    SafeModeEntered,
    SatelliteChanged,
    SensorAlarm,
    SensorEvent,
    SensorsReport,
    SensorsRequest,
    Simplify,
    SpokenReply,
    StageFailed,
    StageRestarted,
    TraceMade,
    Transcript,
    Tried,
    Utterance,
    WakeWordConfirmed,
    Woke,
)


def describe(event: Message) -> str:
    """What `event` says beyond its type; "" when the type says it all."""
    return _of_utterance(event) or _of_documents(event) or _of_daemon(event)


def _of_utterance(event: Message) -> str:
    match event:
        case Woke(wake_word=word):
            return word or "follow-up"
        case WakeWordConfirmed():
            return "by recognition, as its engine was not sure"
        case Utterance(duration_s=duration_s, speech_s=speech_s, revision=revision):
            return f"{duration_s:.1f} s, {speech_s:.1f} s of speech, revision {revision}"
        case Transcript(text=text, engine=engine):
            return f"“{text}”" + (f" ({engine})" if engine else "")
        case Complete(complete=complete, revision=revision):
            return f"revision {revision} is {'whole' if complete else 'not whole yet'}"
        case Interpretation(commands=commands, unclaimed=OpenQuestion(nearest=nearest)):
            near = f"nothing; near “{nearest}”" if nearest else "nothing"
            return "; ".join(map(describe_command, commands)) or near
        case Commit(revision=revision):
            return f"act on revision {revision}"
        case Question(text=text):
            return f"“{text}”"
        case SpokenReply(text=text, listen=listen, done=done):
            return f"“{text}”" + (" (asks)" if listen else "") + ("" if done else " (not done)")
        case Asked(answers=answers):
            return f"{len(answers)} answers are expected"
        case KeepSound():
            return "its sound is kept"
        case PlaybackEnded(heard=False):
            return "not heard"
        case PlaybackEnded(interrupted=True):
            return "interrupted"
        case NothingHeard():
            return "nobody spoke"
        case Generated(tokens=tokens):
            return f"{tokens} tokens"
        case PlaybackStarted() | PlaybackEnded() | BargeIn():
            return ""
    return ""


def _of_documents(event: Message) -> str:
    match event:
        case DocumentsRequest(action=action, arguments=arguments):
            return f"{action} {', '.join(arguments)}".rstrip()
        case DocumentsProgress(fault=fault) if fault:
            return fault
        case DocumentsProgress(files_done=read, files=files, encoded=encoded, passages=passages):
            return f"{read} of {files} files read, {encoded} of {passages} passages encoded"
        case DocumentsListed(documents=documents):
            return f"{len(documents)} documents"
        case DocumentSummary(sentences=said):
            return " ".join(said)
        case Phrase(question=question):
            return question
        case Phrased(text=said, code=code):
            return said or code
        case DocumentsDone(error=error) if error:
            return error
        case DocumentsDone(documents=documents, passages=passages):
            return f"{documents} documents, {passages} passages"
    return ""


def _of_daemon(event: Message) -> str:
    match event:
        case HomeCommand(entity_id=entity, items=items) if items:
            return f"{entity}: {', '.join(f'{item.text} {item.wanted}' for item in items)}"
        case HomeCommand(entity_id=entity, state=state, command=command):
            return f"{entity} {state or command}"
        case HomeReceipt(sent=sent, unsent=unsent, unsure=unsure):
            counts = ((sent, "sent"), (unsent, "not sent"), (unsure, "in doubt"))
            return ", ".join(f"{len(ids)} {what}" for ids, what in counts if ids)
        case HomeDescribed(text=text):
            return f"{len(text)} characters"
        case HomeForecasts(forecasts=forecasts):
            return ", ".join(f"{len(days)} days of {entity}" for entity, days in forecasts.items())
        case HomeLists(lists=lists):
            return ", ".join(f"{len(items)} on {entity}" for entity, items in lists.items())
        case CalendarCommand(versions=versions, changes=changes):
            return f"{len(versions)} events are known, {len(changes)} to be changed"
        case CalendarReport(events=events, gone=gone, done=done, refused=refused):
            told = f"{len(events)} are new, {len(gone)} are gone"
            return f"{told}, {len(done)} were changed, {len(refused)} were refused"
        case CalendarChanged():
            return "its file was written"
        case MusicLibrary(names=names):
            return ", ".join(f"{len(found)} of {kind}" for kind, found in names.items())
        case HomeStates(states=states):
            return ", ".join(f"{entity} {state}" for entity, state in states.items())
        case DeviceChanged(device=device, present=present, detail=detail):
            return f"{device} {'is back' if present else 'is gone'}" + (
                f": {detail}" * bool(detail)
            )
        case Compare():
            return "how clearly does the device hear it?"
        case Outheard():
            return "another room hears it better"
        case Compared(clearness_db=clearness_db):
            return f"{clearness_db:.0f} dB"
        case ListenHere(wake_word=word):
            return word.replace("_", " ")
        case RoomTimers(area=area, timers=timers):
            return f"{len(timers)} in {area}"
        case SensorAlarm(anomaly=anomaly) | SensorEvent(anomaly=anomaly):
            state = "over" if anomaly.over else "wrong"
            return f"{anomaly.sensor} {anomaly.fault}: {state}"
        case SensorsReport(readings=readings, wrong=wrong):
            return f"{len(readings)} sensors, {len(wrong)} wrong"
        case SensorsRequest(what=what, sensors=names, anomaly=name):
            return f"{what} {', '.join(names) or name}"
        case SatelliteChanged(satellite=name, area=area, present=present):
            return f"{name} in {area} {'is there' if present else 'is gone'}"
        case MuteChanged(muted=muted):
            return "the microphone is closed" if muted else "the microphone may be open"
        case StageFailed(stage=stage, code=code, message=text):
            return f"{stage}: {text} ({code})"
        case StageRestarted(stage=stage, reason=reason):
            return f"{stage}: {reason}"
        case SafeModeEntered(stage=stage):
            return f"{stage} failed too often and stays down"
        case Reloaded(stage=stage, error=error):
            return f"{stage}: {error}" if error else stage
        case Level(rms_dbfs=rms_dbfs, noise_floor_dbfs=floor_dbfs, speech=speech):
            return f"{rms_dbfs:.0f} dB, floor {floor_dbfs:.0f} dB" + (", speech" if speech else "")
        case Replace(stage=stage, model=model, version=version):
            return f"{stage} is to {'try' if event.share else 'run'} {model} {version}"
        case Replaced(stage=stage, model=model, version=version, error=error):
            does = f"tries on {event.share:.0%} of utterances" if event.share else "runs"
            return f"{stage}: {error}" if error else f"{stage} {does} {model} {version}"
        case Tried(stage=stage, model=model, version=version, taken=taken, reason=reason):
            told = "takes all" if taken else "goes back"
            return f"{stage}: {model} {version} {told}: {reason}"
        case ModelsUsed(stage=stage, models=models):
            told = ", ".join(f"{m.model} {m.version} {m.cpu_s:.1f} s" for m in models)
            return f"{stage}: {told}"
        case QualityAlert(stage="sensors", what=name, over=True):
            return f"sensors: alarms of {name} are as rare as expected again"
        case QualityAlert(stage="sensors", what=name, value=value, expected=expected):
            return f"sensors: {name} has alarms in {value:.0%} of hours, {expected:.0%} expected"
        case QualityAlert(stage=stage, what=what, over=True):
            return f"{stage}: {_judged(stage)} are {what} no more than expected again"
        case QualityAlert(stage=stage, what=what, value=value, expected=expected):
            of = f"{value:.0%} of the last {_judged(stage)}"
            return f"{stage}: {of} are {what}, {expected:.0%} expected"
        case Simplify(stage=stage, for_s=0):
            return f"{stage} takes its usual path again"
        case Simplify(stage=stage, why=why, for_s=for_s):
            return f"{stage}, which is {why}, takes its simpler path for {for_s:.0f} s"
        case Reload(stage=stage) | ReloadProgress(stage=stage):
            return stage
        case TraceMade(export=export):
            return f"{len(export)} characters"
    return ""


def describe_command(command: Command) -> str:
    """A command with its slots, and how sure it is."""
    slots = ", ".join(f"{s.name}={s.value}" for s in command.slots)
    return f"{command.intent}({slots}) {command.confidence:.2f}"


def _judged(stage: str) -> str:
    """What a stage makes whose quality is observed."""
    return "guesses" if stage == "nlu" else "answers"
