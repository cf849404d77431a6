"""The humidity: setting what humidifiers, and those that take it away, bring it to."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import Context, Dialog, Reply, Request, Skill, Traits, domains, prompt
from skills.home.levels import PROPERTIES
from skills.home.setting import bring
from skills.home.targets import Place, TargetMention, capital, find, one_of, the

Humidifier = Annotated[str, domains("humidifier")]
Humidity = Annotated[int, prompt("To how many percent?")]

skill = Skill("home")


@skill.serve(
    "HassHumidifierSetpoint",
    traits=Traits(about=("humidity", "humidifier"), needs_slot=True, placed=True),
)
def set_humidity(
    request: Request,
    humidity: Humidity,
    context: Context,
    place: Place,
    name: Humidifier | None = None,
) -> Dialog:
    """Set how humid it shall be."""
    target = find(TargetMention(name, place, "humidifier"), request, context)
    humidifier = yield from one_of(target, context)
    if humidifier is None:
        return target.unknown
    least, most = PROPERTIES["humidity"].limits(humidifier)
    if not least <= humidity <= most:
        told = f"{the(humidifier)} takes {least:g} to {most:g} percent."
        return Reply(capital(told), done=False)
    undo = bring(context, humidifier, "", humidity=humidity)
    still = " It is off." if humidifier.state == "off" else ""
    text = f"I set {the(humidifier)} to {humidity} percent.{still}"
    return Reply(text, undo=tuple(undo), about=(humidifier.id,))
