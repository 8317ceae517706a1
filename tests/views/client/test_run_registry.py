"""Rate and time left of a run, and the words for them."""

from app.params.vectors import Encode
from app.protocol import events
from app.views.client.runs import RunState
from app.views.shell.status_bar import format_progress
from app.views.widgets.number_format import (
    format_bytes,
    format_duration,
    format_share,
    format_throughput,
)


def report(run: RunState, done: int, now: float, total: int = 1000) -> None:
    event = events.Progress(1, "Encoding", done, total, "")
    run.note_progress(event, now=now)


def test_rate_is_items_over_seconds_of_the_window() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 0, now=10.0)
    report(run, 100, now=12.0)
    assert run.rate == 50.0
    assert run.seconds_left == 18.0


def test_old_points_leave_the_rate() -> None:
    run = RunState(Encode(corpora=("a",)))
    for second in range(20):  # ten a second, then one a second
        report(run, 10 * min(second, 10) + max(second - 10, 0), now=float(second))
    assert 0.9 < run.rate < 2.5


def test_a_step_that_takes_minutes_keeps_the_time_left() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 0, now=0.0, total=16)
    report(run, 5, now=50.0, total=16)
    for second in range(51, 100):  # the sixth takes longer than the others
        report(run, 5, now=float(second), total=16)
    assert run.rate == 0.0
    assert run.seconds_left is not None
    assert 100 < run.seconds_left < 240


def test_new_stage_begins_a_new_estimate() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 0, now=0.0)
    report(run, 500, now=5.0)
    run.note_progress(events.Progress(1, "Writing", 10, 20, ""), now=6.0)
    assert run.rate == 0.0
    assert run.seconds_left is None


def test_nothing_is_told_of_the_time_left_in_the_first_second() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 0, now=0.0)
    report(run, 10, now=0.5)
    assert run.seconds_left is None


def test_strip_says_done_total_share_rate_and_time_left() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 0, now=0.0, total=100_000)
    report(run, 62_000, now=2.0, total=100_000)
    words = format_progress(run).replace("\u00a0", " ")
    assert words == "62,000 / 100,000 · 62 % · 31,000 sentences/s · 1.2 s left"


def test_unknown_total_says_only_what_is_done() -> None:
    run = RunState(Encode(corpora=("a",)))
    report(run, 5, now=0.0, total=0)
    assert format_progress(run) == "5"


def test_slow_share_gets_decimals_until_it_moves() -> None:
    assert format_share(50, 100, rate=5.0) == "50\u00a0%"
    assert format_share(12_345, 100_000, rate=200.0) == "12.3\u00a0%"
    assert format_share(12_345, 100_000, rate=20.0) == "12.35\u00a0%"


def test_share_is_not_hundred_before_the_end() -> None:
    assert format_share(9_999, 10_000, rate=1000.0) == "99\u00a0%"
    assert format_share(10_000, 10_000, rate=1000.0) == "100\u00a0%"


def test_times_sizes_and_rates_carry_their_unit() -> None:
    plain = [
        text.replace("\u00a0", " ")
        for text in (
            format_duration(0.52),
            format_duration(42.4),
            format_duration(200),
            format_duration(7500),
            format_duration(300_000),
            format_duration(1e9),
            format_bytes(640_000_000),
            format_bytes(12_300_000),
            format_bytes(321),
            format_throughput(81_432),
            format_throughput(3.21, "sentences"),
        )
    ]
    assert plain == [
        "0.5 s",
        "42 s",
        "3 min 20 s",
        "2 h 05 min",
        "3.5 days",
        "32 years",
        "0.6 GB",
        "12 MB",
        "321 B",
        "81,400/s",
        "3.2 sentences/s",
    ]
