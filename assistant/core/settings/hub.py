"""A hub on the local network, for what this device cannot do by itself."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection, one_of


class HubSettings(SettingsSection, frozen=True, kw_only=True):
    """A hub on the local network, which is asked for what this device cannot do by itself."""

    url: str = ""
    """Its address on the local network, such as "https://192.168.1.10:8443"; "" for none."""
    key_file: str = ""
    """File of this home's key there, readable by the bridge alone; "" where it wants none."""
    certificate: str = ""
    """File (PEM) of the hub's own certificate, by which it is known; "" for http, which is for a
    hub on this device alone."""
    hears: Annotated[str, one_of("all", "unclear", "nothing")] = "unclear"
    """The speech to the assistant whose sound it gets: "all", what is "unclear", which fits no
    sentence, or "nothing"."""
    answers: bool = True
    """Whether it gets the text of questions that the documents here do not answer."""
    within_s: Annotated[float, Meta(gt=0, le=10)] = 1.0
    """Seconds after which nobody waits for it any more, and this device does without."""
