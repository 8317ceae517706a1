"""Batches on several threads: all done, errors raised, torch's own threads kept."""

import threading
from collections.abc import Iterator

import pytest
import torch

from app.engine.encoders.thread_pool import BatchThreads, run_parallel


def _with_threads(n_threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def one_thread() -> Iterator[None]:
    yield from _with_threads(1)


@pytest.fixture
def two_threads() -> Iterator[None]:
    yield from _with_threads(2)


@pytest.mark.usefixtures("two_threads")
def test_each_item_is_worked_on_by_threads_of_one() -> None:
    met = threading.Barrier(2)
    done: list[tuple[int, int]] = []

    def work(item: int) -> None:
        met.wait(timeout=30)  # broken unless two items are worked on at once
        torch.ones(1000) @ torch.ones(1000)
        done.append((item, torch.get_num_threads()))

    threads = BatchThreads()
    for _ in range(2):
        done.clear()
        threads.run(work, range(4))
        assert sorted(done) == [(0, 1), (1, 1), (2, 1), (3, 1)]
        assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_errors_reach_the_caller() -> None:
    def work(item: int) -> None:
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        BatchThreads().run(work, range(3))


@pytest.mark.usefixtures("one_thread")
def test_one_thread_works_in_order_and_in_place() -> None:
    done: list[tuple[int, int]] = []
    BatchThreads().run(lambda i: done.append((i, threading.get_ident())), range(3))
    assert done == [(i, threading.get_ident()) for i in range(3)]


@pytest.mark.usefixtures("two_threads")
def test_side_by_side_each_item_has_one_thread_and_two_are_back_afterwards() -> None:
    found: dict[int, int] = {}

    def work(item: int) -> None:
        found[item] = torch.get_num_threads()

    with run_parallel() as run:
        run(work, range(5))
        assert torch.get_num_threads() == 1
    assert found == dict.fromkeys(range(5), 1)
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_side_by_side_is_raised_and_the_threads_are_back() -> None:
    def work(item: int) -> None:
        if item == 3:
            raise ValueError(item)

    with pytest.raises(ValueError, match="3"), run_parallel() as run:
        run(work, range(5))
    assert torch.get_num_threads() == 2
