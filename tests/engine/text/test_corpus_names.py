from pathlib import Path

import pytest

from app.engine.text.corpus_names import default_name
from app.params import ImportCorpus


@pytest.mark.parametrize(
    ("file", "code", "name"),
    [
        ("letters.txt", "", "letters"),
        ("letters.tsv.xz", "de", "letters.de"),
        ("7.txt", "", "7.txt"),
        ("7.txt.gz", "", "7.txt"),
    ],
)
def test_a_corpus_is_called_as_its_file_but_by_no_id(
    file: str, code: str, name: str
) -> None:
    params = ImportCorpus(files=(Path(file),))
    assert default_name(Path(file), code, params) == name
