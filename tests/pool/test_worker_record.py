"""What is measured of a worker, with time as data."""

from __future__ import annotations

from multiprocessing import Process

import pytest

from assistant.pool.routing import RequestShape
from assistant.pool.worker_record import WorkerRecord


def test_a_worker_is_told_by_what_it_served() -> None:
    worker = WorkerRecord("a", Process(), speed=50.0, most_held=8)
    worker.hear(0.0)
    for number, tokens in enumerate((10, 10, 40)):
        worker.take(str(number), RequestShape(tokens=tokens), 1.0 + number)
        worker.finish(str(number), failed=False, now_s=1.0 + number + tokens / 100)
    worker.take("open", RequestShape(tokens=500), 5.0)
    told = worker.state(5.0)
    assert told.left == (500,)
    assert told.usual_tokens == pytest.approx(20.0)
    assert told.tokens_per_s == pytest.approx(100.0)
