"""`sensors.db`: what was learnt of the sensors, how far they have come, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.database import CONNECT, Connect, Database
from assistant.core.messages import Anomaly
from assistant.core.sensors.messages import Fault
from assistant.sensors.detection.group import GroupModel
from assistant.sensors.detection.judge import Learnt
from assistant.sensors.detection.single import Levels, SingleModel

KEPT_VERSIONS = 5
"""Most versions of what was learnt of a sensor or a group."""
KEPT_ANOMALIES = 10_000
WIDER = 1.5
"""Factor by which a false alarm widens the limits of its sensor."""

Model = SingleModel | tuple[GroupModel, ...]


def _create(database: Any) -> None:
    database.execute(
        "CREATE TABLE learnt (version INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,"
        " learnt_at TEXT NOT NULL, model TEXT NOT NULL) STRICT"
    )
    database.execute("CREATE TABLE slack (name TEXT PRIMARY KEY, factor REAL NOT NULL) STRICT")
    database.execute(
        "CREATE TABLE anomalies (id TEXT PRIMARY KEY, is_over INTEGER NOT NULL,"
        " anomaly TEXT NOT NULL) STRICT"
    )
    database.execute(
        "CREATE TABLE levels (id INTEGER PRIMARY KEY CHECK (id = 1), at_s REAL NOT NULL,"
        " boot_id TEXT NOT NULL, levels TEXT NOT NULL) STRICT"
    )


class UnderWay(msgspec.Struct, frozen=True):
    """Sensors that are being learnt, and until when."""

    sensors: tuple[str, ...]
    until: datetime


def _create_under_way(database: Any) -> None:
    database.execute("CREATE TABLE under_way (learning TEXT NOT NULL) STRICT")


class Store:
    """What the sensors' process keeps in a file, or in memory for None; raises `StorageError`."""

    def __init__(self, path: Path | None = None, connect: Connect = CONNECT) -> None:
        self._database = Database(path, (_create, _create_under_way), connect=connect)
        # An alarm does not wait for the disk: what is written outlives a kill -9. After a power cut
        # the last of it may be gone; what is wrong then begins once more.
        self._database.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # ── what was learnt ─────────────────────────────────────────────────────────────────────

    @property
    def learnt(self) -> Learnt:
        """The newest model of each sensor and group."""
        single: dict[str, SingleModel] = {}
        groups: dict[str, tuple[GroupModel, ...]] = {}
        rows = self._database.execute("SELECT kind, name, model FROM learnt ORDER BY version")
        for kind, name, model in rows:
            if kind == "sensor":
                single[name] = msgspec.json.decode(model, type=SingleModel)
            else:
                groups[name] = msgspec.json.decode(model, type=tuple[GroupModel, ...])
        return Learnt(single=single, groups=groups)

    def keep_learnt(self, learnt: Learnt, at: datetime) -> None:
        """Keep new models, which take the place of those before; a few of these stay."""
        with self._database.transaction():
            for kind, models in (("sensor", learnt.single), ("group", learnt.groups)):
                for name, model in models.items():
                    self._keep(kind, name, model, at)

    def _keep(self, kind: str, name: str, model: Model, at: datetime) -> None:
        text = msgspec.json.encode(model).decode()
        self._database.execute(
            "INSERT INTO learnt (kind, name, learnt_at, model) VALUES (?, ?, ?, ?)",
            *(kind, name, at.isoformat(), text),
        )
        self._database.execute(
            "DELETE FROM learnt WHERE kind = ? AND name = ? AND version NOT IN (SELECT version FROM"
            " learnt WHERE kind = ? AND name = ? ORDER BY version DESC LIMIT ?)",
            *(kind, name, kind, name, KEPT_VERSIONS),
        )
        self._database.execute("DELETE FROM slack WHERE name = ?", name)

    def roll_back(self, name: str) -> bool:
        """Go back to the model before the newest of a sensor or group; whether there is one."""
        is_back = False
        for kind in ("sensor", "group"):
            rows = self._database.execute(
                "SELECT version FROM learnt WHERE kind = ? AND name = ?"
                " ORDER BY version DESC LIMIT 2",
                *(kind, name),
            )
            if len(rows) == 2:
                self._database.execute("DELETE FROM learnt WHERE version = ?", rows[0][0])
                is_back = True
        return is_back

    def keep_under_way(self, learning: Iterable[UnderWay]) -> None:
        """Keep what is being learnt, in place of what was before."""
        with self._database.transaction():
            self._database.execute("DELETE FROM under_way")
            for one in learning:
                text = msgspec.json.encode(one).decode()
                self._database.execute("INSERT INTO under_way VALUES (?)", text)

    @property
    def under_way(self) -> list[UnderWay]:
        """What is being learnt."""
        rows = self._database.execute("SELECT learning FROM under_way ORDER BY rowid")
        return [msgspec.json.decode(text, type=UnderWay) for (text,) in rows]

    @property
    def slack(self) -> Mapping[str, float]:
        """Sensor or group → the factor by which false alarms have widened its limits."""
        return dict(self._database.execute("SELECT name, factor FROM slack"))

    def widen(self, name: str) -> None:
        """Note a false alarm of a sensor or group."""
        self._database.execute(
            "INSERT INTO slack VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET factor = factor * ?",
            *(name, WIDER, WIDER),
        )

    # ── how far they have come ──────────────────────────────────────────────────────────────

    def keep_levels(self, levels: Mapping[str, Levels], at_s: float, boot_id: str) -> None:
        """Keep the levels as of now, in place of those before."""
        text = msgspec.json.encode(levels).decode()
        self._database.execute(
            "INSERT OR REPLACE INTO levels VALUES (1, ?, ?, ?)", at_s, boot_id, text
        )

    def levels(self, boot_id: str) -> tuple[float, Mapping[str, Levels]]:
        """When the levels were kept, and they; none from before a boot, which are too old."""
        rows = self._database.execute("SELECT at_s, levels FROM levels WHERE boot_id = ?", boot_id)
        if not rows:
            return 0.0, {}
        return rows[0][0], msgspec.json.decode(rows[0][1], type=dict[str, Levels])

    # ── what is wrong ───────────────────────────────────────────────────────────────────────

    def keep_anomaly(self, anomaly: Anomaly) -> None:
        """Keep an anomaly that begins, or that is over."""
        text = msgspec.json.encode(anomaly).decode()
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO anomalies VALUES (?, ?, ?)",
                *(anomaly.id, anomaly.over is not None, text),
            )
            self._database.execute(
                "DELETE FROM anomalies WHERE is_over"
                " AND rowid <= (SELECT max(rowid) FROM anomalies) - ?",
                KEPT_ANOMALIES,
            )

    @property
    def going_on(self) -> list[Anomaly]:
        """The anomalies that are not over, the oldest first."""
        rows = self._database.execute(
            "SELECT anomaly FROM anomalies WHERE NOT is_over ORDER BY rowid"
        )
        return [msgspec.json.decode(text, type=Anomaly) for (text,) in rows]

    def begun_since(self, since: datetime) -> list[Anomaly]:
        """The anomalies that are kept and began at or after `since`."""
        rows = self._database.execute("SELECT anomaly FROM anomalies")
        kept = (msgspec.json.decode(text, type=Anomaly) for (text,) in rows)
        return [anomaly for anomaly in kept if anomaly.began >= since]

    def sensor_of(self, anomaly_id: str) -> tuple[str, Fault] | None:
        """The sensor of an anomaly, and what is wrong with it; None for one that is not kept."""
        rows = self._database.execute("SELECT anomaly FROM anomalies WHERE id = ?", anomaly_id)
        if not rows:
            return None
        anomaly = msgspec.json.decode(rows[0][0], type=Anomaly)
        return anomaly.sensor, anomaly.fault
