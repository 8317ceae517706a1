"""Arrays on disk: written in order, gone on with, named when they are complete."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.store.arrays import ArrayWriter, map_array, partial_path, write_array

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_an_array_has_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "новый файл.npy"
    writer = ArrayWriter(file, (4, 3), "<f2")
    writer.append(ROWS[:1])
    writer.append(ROWS[1:])
    assert not file.exists()
    writer.finish()
    array = map_array(file)
    assert array.dtype == np.float16
    assert (array == ROWS).all()
    assert not partial_path(file).exists()


def test_writing_goes_on_after_the_rows_that_are_recorded(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    killed = ArrayWriter(file, (4, 3), "<f4")
    killed.append(ROWS[:3])
    killed.close()  # three rows are there, but only two were recorded
    writer = ArrayWriter(file, (4, 3), "<f4", n_done=2)
    writer.append(ROWS[2:])
    writer.finish()
    assert (map_array(file) == ROWS).all()


@pytest.mark.parametrize("n_done", [1, 3])
def test_rows_that_are_not_there_are_an_error(tmp_path: Path, n_done: int) -> None:
    file = tmp_path / "a.npy"
    if n_done == 3:
        short = ArrayWriter(file, (4, 3), "<f4")
        short.append(ROWS[:2])
        short.close()
    with pytest.raises(FileNotFoundError):
        ArrayWriter(file, (4, 3), "<f4", n_done=n_done)


def test_a_column_of_numbers_is_an_array_too(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "norm.npy"
    writer = ArrayWriter(file, (5,), "<f4")
    writer.append(np.arange(5))
    writer.finish()
    assert map_array(file).tolist() == [0, 1, 2, 3, 4]
    write_array(tmp_path / "ids.npy", np.array([7]))
    assert map_array(tmp_path / "ids.npy").tolist() == [7]
