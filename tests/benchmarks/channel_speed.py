"""Time the channel between window and engine: events in a burst, and a round trip.

Run by hand: `python -m tests.benchmarks.channel_speed`.
"""

import statistics
import sys
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop

from app.protocol import commands, events
from app.protocol.events import Event
from app.protocol.queries.search import KeywordQuery
from app.views.client.engine_client import EngineClient

FAKE_ENGINE = Path(__file__).parents[1] / "views" / "fake_engine.py"
N_BURSTS, N_TRIPS = 5, 2_000


def main() -> None:
    """Measure and print."""
    application = QCoreApplication(sys.argv[:1])
    client = EngineClient(command=[sys.executable, str(FAKE_ENGINE)])
    starts = []
    for _ in range(5):
        started = time.perf_counter()
        client.start()
        wait_for(client, events.Devices)
        starts.append(time.perf_counter() - started)
        client.quit()
        while client.is_running:
            application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    print(f"start to second event, median: {1000 * statistics.median(starts):.0f} ms")
    client.start()
    rates = [measure_burst(client) for _ in range(N_BURSTS)]
    print(f"events in a burst, median: {statistics.median(rates):,.0f}/s")
    print(f"events in a burst, best: {max(rates):,.0f}/s")
    times = []
    for _ in range(N_TRIPS):
        started = time.perf_counter()
        ask(client, "trip")
        times.append(1e6 * (time.perf_counter() - started))
    times.sort()
    print(f"round trip, median: {times[N_TRIPS // 2]:.0f} µs")
    print(f"round trip, 95th percentile: {times[N_TRIPS * 95 // 100]:.0f} µs")
    client.quit()


def measure_burst(client: EngineClient) -> float:
    """Return how many events a second the window receives from a burst."""
    received: list[Event] = []
    client.event_received.connect(received.append)
    started = time.perf_counter()
    cpu = time.process_time()
    ask(client, "burst")
    elapsed = time.perf_counter() - started
    client.event_received.disconnect(received.append)
    print(
        f"cpu {(time.process_time() - cpu) * 1e6 / len(received):.1f} µs an event",
        end=" ",
    )
    return len(received) / elapsed


def ask(client: EngineClient, text: str) -> None:
    """Ask and wait for the answer."""
    client.send(commands.Ask(client.next_ticket(), KeywordQuery(text=text)))
    wait_for(client, events.Answer)


def wait_for(client: EngineClient, kind: type[Event]) -> None:
    """Run the event loop until an event of this kind arrives."""
    loop = QEventLoop()

    def _on_event(event: Event) -> None:
        if isinstance(event, kind):
            loop.quit()

    client.event_received.connect(_on_event)
    loop.exec()
    client.event_received.disconnect(_on_event)


if __name__ == "__main__":
    main()
