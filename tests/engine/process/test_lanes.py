"""Lanes: the effect of a newer job on older jobs of its kind."""

from threading import Event

from app.engine.process.lanes import Job, Lane

WAIT_S = 30.0  # until a test fails


def test_a_newer_job_ends_the_one_under_way_and_drops_the_one_that_waits() -> None:
    lane = Lane("test")
    begun, stopped, may_end, dropped, other, done = (Event() for _ in range(6))

    def work() -> None:
        begun.set()
        assert may_end.wait(WAIT_S)

    lane.put(Job(work, kind="a", stop=stopped.set))
    assert begun.wait(WAIT_S)
    lane.put(Job(other.set, kind="b"))
    lane.put(Job(lambda: None))
    assert not stopped.is_set(), "others do not end it"
    lane.put(Job(lambda: None, kind="a", drop=dropped.set))
    assert stopped.is_set()
    lane.put(Job(done.set, kind="a"))
    assert dropped.is_set()
    may_end.set()
    assert done.wait(WAIT_S)
    assert other.is_set()
