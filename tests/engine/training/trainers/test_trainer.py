"""The learning rate over the steps."""

from app.engine.training.trainers.trainer import linear_lr


def test_rate_rises_over_the_warm_up_and_falls_to_zero() -> None:
    rates = [linear_lr(s, highest=1.0, n_warmup=2, n_steps=6) for s in range(7)]
    assert rates == [0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0]


def test_rate_without_warm_up_begins_at_the_highest() -> None:
    assert linear_lr(0, highest=0.1, n_warmup=0, n_steps=10) == 0.1
