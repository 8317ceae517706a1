"""How many pairs have which verdict, kept up while one judges."""

from sqlalchemy import Engine

from app.engine.store.review_rows import read_judged_steps


class Tally:
    """Counts by verdict; the engine's are taken whenever the queue is loaded."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def begin(self, counts: dict[str, int]) -> None:
        """Take counts over."""
        self.counts = dict(counts)

    def move(self, old: str, new: str) -> None:
        """Count a pair whose verdict is another now."""
        if old != new and self.counts:
            self.counts[old] = max(self.counts.get(old, 0) - 1, 0)
            self.counts[new] = self.counts.get(new, 0) + 1

    def follow(self, store: Engine, pair_id: int) -> None:
        """Count the newest step, if it is of this pair alone: somebody undid one."""
        for step in read_judged_steps(store, limit=1):
            if step.row.pair_id == pair_id and step.n == 1:
                before = step.before.verdict if step.before is not None else ""
                self.move(before, step.row.verdict)
