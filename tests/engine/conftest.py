"""A tiny vocabulary, trained once on two artificial languages."""

import pytest

from app.engine.text.subword_vocabulary import Vocabulary, fit_vocabulary
from tests.engine.training.synthetic import make_pairs


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    folder = tmp_path_factory.mktemp("vocabulary")
    sample, model = folder / "sample.txt", folder / "m.model"
    lines = [side for pair in make_pairs(500) for side in pair]
    sample.write_text("\n".join(lines), encoding="utf-8")
    fit_vocabulary(str(sample), str(model), n_pieces=300, n_threads=1, seed=1)
    return Vocabulary(model.read_bytes())
