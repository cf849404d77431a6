"""A bridge's stage on a calendar, without the bus."""

from __future__ import annotations

from assistant.bridge.caldav.link import CalDav
from assistant.core.calendar.messages import EventChange
from assistant.core.messages import CalendarCommand, CalendarReport
from tests.support.pumped_bridge import PumpedBridge


class Bench(PumpedBridge[CalDav]):
    """A bridge's stage on a calendar; `known` is what its skills have taken down."""

    def __init__(self, link: CalDav) -> None:
        super().__init__(link)
        self.known: dict[str, str] = {}
        self._count = 0

    def shares(self, *changes: EventChange) -> CalendarReport:
        """Have changes made, or wait for what is new; what is reported, which is taken down."""
        self.begins(*changes)
        return self.reports()

    def begins(self, *changes: EventChange) -> None:
        self._count += 1
        command = CalendarCommand(id=f"c{self._count}", versions=dict(self.known), changes=changes)
        assert list(self.stage.feed(command)) == []

    def reports(self) -> CalendarReport:
        report = self.hears(CalendarReport, lambda m: m.command_id == f"c{self._count}")
        for href in report.gone:
            del self.known[href]
        self.known |= {event.href: event.etag for event in report.events}
        return report

    def where(self, name: str) -> str:
        """Where the event in this file is."""
        return next(href for href in self.known if href.endswith(f"/{name}.ics"))

    def of(self, name: str, uid: str, text: str) -> EventChange:
        """A change of the event in this file, as it is known."""
        href = self.where(name)
        return EventChange(uid, href, self.known[href], text)
