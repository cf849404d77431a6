"""What is kept of the sensors in `state.db`: what was wrong, what is muted, what is asked for."""

from __future__ import annotations

import msgspec

from assistant.core.database import Database
from assistant.core.messages import Anomaly, SensorsRequest
from assistant.skill.sensors import Noticed
from skills.later.plan import Due

MOST_KEPT = 1000
"""Most anomalies that are kept: the newest."""
_COLUMNS = "id, acknowledged, announcement, anomaly"


def create_sensors(database: Database) -> None:
    """Create the tables of the sensors; what has no column is JSON."""
    database.execute(
        "CREATE TABLE sensor_anomalies (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " over INTEGER NOT NULL, acknowledged INTEGER NOT NULL, announcement TEXT NOT NULL,"
        " anomaly TEXT NOT NULL) STRICT"
    )
    database.execute(
        "CREATE TABLE sensor_mutes (sensor TEXT PRIMARY KEY, due TEXT NOT NULL)"
        " STRICT, WITHOUT ROWID"
    )
    database.execute(
        "CREATE TABLE sensor_requests (number INTEGER PRIMARY KEY, request TEXT NOT NULL) STRICT"
    )


class Kept(Noticed, frozen=True, kw_only=True):
    """An anomaly, and the id of the announcement that it began with; "" for none."""

    announcement: str = ""


class SensorStore:
    """The tables; what changes them is part of the transaction of whoever calls."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ── what was wrong ──────────────────────────────────────────────────────────────────────
    def get(self, anomaly_id: str) -> Kept | None:
        """The anomaly of an id; None where it is not kept."""
        found = self._select("WHERE id = ?", anomaly_id)
        return found[0] if found else None

    def wrong(self) -> list[Kept]:
        """Those that go on, the oldest first."""
        return self._select("WHERE over = 0 ORDER BY number")

    def all(self) -> list[Kept]:
        """All, the oldest first."""
        return self._select("ORDER BY number")

    def put(self, anomaly: Anomaly) -> None:
        """Keep an anomaly in place of what is kept of it, and forget the oldest of too many."""
        self._database.execute(
            "INSERT INTO sensor_anomalies (id, over, acknowledged, announcement, anomaly)"
            " VALUES (?, ?, 0, '', ?) ON CONFLICT (id)"
            " DO UPDATE SET over = excluded.over, anomaly = excluded.anomaly",
            *(anomaly.id, anomaly.over is not None, msgspec.json.encode(anomaly).decode()),
        )
        self._database.execute(
            "DELETE FROM sensor_anomalies"
            " WHERE number <= (SELECT max(number) FROM sensor_anomalies) - ?",
            MOST_KEPT,
        )

    def announce_by(self, anomaly_id: str, announcement: str) -> None:
        """Note the announcement by which it is told that an anomaly began."""
        sql = "UPDATE sensor_anomalies SET announcement = ? WHERE id = ?"
        self._database.execute(sql, announcement, anomaly_id)

    def acknowledge(self, anomaly_id: str, acknowledged: bool) -> None:
        """Note whether somebody has acknowledged an anomaly."""
        sql = "UPDATE sensor_anomalies SET acknowledged = ? WHERE id = ?"
        self._database.execute(sql, acknowledged, anomaly_id)

    def _select(self, which: str, *values: str) -> list[Kept]:
        sql = f"SELECT {_COLUMNS} FROM sensor_anomalies {which}"  # noqa: S608 - our own
        return [
            Kept(
                anomaly=msgspec.json.decode(anomaly, type=Anomaly),
                acknowledged=bool(acknowledged),
                announcement=announcement,
            )
            for _, acknowledged, announcement, anomaly in self._database.execute(sql, *values)
        ]

    # ── what is muted ───────────────────────────────────────────────────────────────────────
    def muted(self, sensor: str) -> Due | None:
        """Until when nothing is told of a sensor; None where nothing is kept of that."""
        rows = self._database.execute("SELECT due FROM sensor_mutes WHERE sensor = ?", sensor)
        return msgspec.json.decode(rows[0][0], type=Due) if rows else None

    def mute(self, sensor: str, due: Due | None) -> None:
        """Keep until when nothing is told of a sensor; None for all."""
        self._database.execute("DELETE FROM sensor_mutes WHERE sensor = ?", sensor)
        if due is not None:
            text = msgspec.json.encode(due).decode()
            self._database.execute("INSERT INTO sensor_mutes VALUES (?, ?)", sensor, text)

    # ── what is asked of the process that judges them ───────────────────────────────────────
    def ask(self, request: SensorsRequest) -> None:
        """Keep a request until it is sent."""
        text = msgspec.json.encode(request).decode()
        self._database.execute("INSERT INTO sensor_requests (request) VALUES (?)", text)

    def requests(self) -> list[tuple[int, SensorsRequest]]:
        """The requests that are to be sent, each with its number."""
        rows = self._database.execute("SELECT number, request FROM sensor_requests ORDER BY number")
        return [(number, msgspec.json.decode(text, type=SensorsRequest)) for number, text in rows]

    def sent(self, number: int) -> None:
        """Forget a request."""
        self._database.execute("DELETE FROM sensor_requests WHERE number = ?", number)
