from pathlib import Path

import pytest

from app.engine.exchange.corpus_import import default_corpus_name
from app.params.corpora import ImportCorpus


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
    assert default_corpus_name(Path(file), code, params) == name
