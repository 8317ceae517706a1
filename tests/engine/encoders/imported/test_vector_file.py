"""Vector files: valid files are mapped, others rejected by header and size."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy_format

from app.engine.encoders.imported.vectors import open_vector_file
from app.errors import ResourceError, UserError

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4"])
def test_npy_is_mapped_as_it_is(tmp_path: Path, dtype: str, order: Any) -> None:
    np.save(tmp_path / "v.npy", ROWS.astype(dtype, order=order))
    file = open_vector_file(tmp_path / "v.npy", 0, (4,))
    assert isinstance(file.rows, np.memmap)
    np.testing.assert_array_equal(file.rows, ROWS)


@pytest.mark.parametrize(("dim", "counts"), [(3, (9, 4)), (0, (9, 4)), (0, (4,))])
def test_raw_rows_are_found_by_dimension_or_count(
    tmp_path: Path, dim: int, counts: tuple[int, ...]
) -> None:
    ROWS.tofile(tmp_path / "v.raw")
    file = open_vector_file(tmp_path / "v.raw", dim, counts)
    np.testing.assert_array_equal(file.rows, ROWS)


def test_raw_file_that_fits_two_ways_asks_for_the_dimensions(tmp_path: Path) -> None:
    ROWS.tofile(tmp_path / "v.raw")
    with pytest.raises(UserError, match=r"4 or 6 rows. Set the dimensions \(dim\)"):
        open_vector_file(tmp_path / "v.raw", 0, (4, 6))
    np.zeros((2, 1024), "<f4").tofile(tmp_path / "laser.raw")
    file = open_vector_file(tmp_path / "laser.raw", 0, (4, 2))
    assert file.rows.shape == (2, 1024)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([["a", 1]], dtype=object), "contains object"),
        (ROWS.astype(np.int32), "contains int32"),
        (ROWS[0], r"of shape \(3,\)"),
        (ROWS[:0], r"of shape \(0, 3\)"),
        (ROWS[:3], "3 rows, but the corpus has 4 or 5 sentences or lines"),
    ],
)
def test_npy_of_another_kind_is_refused(
    tmp_path: Path, array: np.ndarray, message: str
) -> None:
    np.save(tmp_path / "v.npy", array, allow_pickle=True)
    with pytest.raises(UserError, match=message):
        open_vector_file(tmp_path / "v.npy", 0, (4, 5))


def test_shape_larger_than_the_file_allocates_nothing(tmp_path: Path) -> None:
    file = tmp_path / "v.npy"
    with file.open("wb") as stream:
        header = {"descr": "<f4", "fortran_order": False, "shape": (10**9, 10**6)}
        npy_format.write_array_header_1_0(stream, header)
        stream.write(b"\0" * 100)
    with pytest.raises(UserError, match="truncated or damaged"):
        open_vector_file(file, 0, (10**9,))


@pytest.mark.parametrize("keep", [6, 9, 40, -1])
def test_truncated_npy_is_a_users_error(tmp_path: Path, keep: int) -> None:
    file = tmp_path / "v.npy"
    np.save(file, ROWS)
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UserError, match="damaged"):
        open_vector_file(file, 0, (4,))


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "v.npy"
    file.write_bytes(b"PK\3\4 something")
    with pytest.raises(UserError, match=r"not a \.npy file"):
        open_vector_file(file, 0, (4,))
    raw = tmp_path / "v.raw"
    raw.write_bytes(b"12345")
    with pytest.raises(UserError, match="not a multiple of 4 bytes"):
        open_vector_file(raw, 0, (4,))
    ROWS.tofile(raw)
    with pytest.raises(UserError, match="not a multiple of 5 dimensions"):
        open_vector_file(raw, 5, (4,))
    with pytest.raises(ResourceError, match="does not exist"):
        open_vector_file(tmp_path / "none", 0, (4,))
