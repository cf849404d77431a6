"""Backups and a restart."""

from __future__ import annotations

from pathlib import PurePath

from assistant.skill import Confirm, Context, Dialog, Reply, Skill, SkillError, Traits

ACTING = Traits(only_now=True, guarded=True)

skill = Skill("device")


@skill.intent(
    "MakeBackup",
    "(make|do|create|take|save|run|start) a [new|fresh] backup [of (yourself|everything|your data"
    "|the assistant|your settings|my settings)] [now]",
    "back (yourself|everything|your settings|my settings|your data) up [now]",
    "back up (yourself|everything|your settings|my settings|your data|the assistant) [now]",
    traits=ACTING,
)
def back_up(context: Context) -> Reply:
    """Make a backup, and tell in which folder it is: a whole path is too long to listen to."""
    try:
        file = context.device.back_up()
    except SkillError as error:
        told = "there is too much to keep" if error.code == "backup.large" else "that failed"
        return Reply(f"I made no backup: {told}. Run assistant backup instead.", done=False)
    folder = PurePath(file).parent.name
    return Reply(f"I made a backup. It is the newest in my folder {folder}.")


@skill.intent(
    "RestartAssistant",
    "(restart|reboot) [yourself|the assistant|your software|the device] [now]",
    "(do a|do) (restart|reboot) of yourself",
    "(start yourself|turn yourself off and on) again",
    traits=ACTING,
)
def restart(context: Context) -> Dialog:
    """Restart the assistant, after a yes."""
    if not context.device.restarts:
        told = "nothing would start me again, as I don't run as a service"
        return Reply(f"I can't restart: {told}.", done=False)
    if not (yield Confirm("Shall I restart? I hear nothing until I am back.")):
        return Reply("Okay, I go on.")
    context.device.restart()
    return Reply("I restart now.")
