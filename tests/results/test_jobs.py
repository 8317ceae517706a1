"""What the window reads of the results of jobs is what the jobs write."""

import msgspec
import pytest

from app.engine.tasks.align_documents import AlignDocumentsResult
from app.engine.tasks.import_classifier import ImportClassifierResult
from app.engine.tasks.import_corpus import ImportResult
from app.engine.tasks.import_dictionary import ImportDictionaryResult
from app.engine.tasks.learn_dictionary import LearnDictionaryResult
from app.engine.tasks.make_probing_sets import MakeProbingSetsResult
from app.engine.tasks.make_subcorpus import MakeSubcorpusResult
from app.engine.tasks.mine_pairs import MinePairsResult
from app.engine.tasks.project_map import ProjectMapResult
from app.engine.tasks.score_pairs import ScorePairsResult
from app.engine.tasks.train_classifier import TrainClassifierResult
from app.engine.tasks.train_encoder import TrainEncoderResult
from app.results import jobs
from app.results.mining import EvaluateMiningResult


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (jobs.MadePairSet, MinePairsResult),
        (jobs.MadePairSet, ScorePairsResult),
        (jobs.MadePairSet, AlignDocumentsResult),
        (jobs.MadePairSet, LearnDictionaryResult),
        (jobs.MadeRow, TrainClassifierResult),
        (jobs.MadeRow, ImportClassifierResult),
        (jobs.MadeRow, ImportDictionaryResult),
        (jobs.MadeMap, ProjectMapResult),
        (jobs.MadeSubcorpus, MakeSubcorpusResult),
        (jobs.ImportedCorpora, ImportResult),
        (jobs.TrainedEncoder, TrainEncoderResult),
        (jobs.MiningScore, EvaluateMiningResult),
        (jobs.ProbingSets, MakeProbingSetsResult),
    ],
)
def test_a_job_writes_what_the_window_reads(read: type, written: type) -> None:
    _check_fields(read, written)


def _check_fields(read: type, written: type) -> None:
    """Check that each field that is read is written, also within lists of structs."""
    fields = _fields(written)
    for name, type_ in _fields(read).items():
        assert name in fields, (read, written)
        assert _may_be_none(type_) or not _may_be_none(fields[name]), name
        inner, other = (_item(one) for one in (type_, fields[name]))
        if isinstance(inner, msgspec.inspect.StructType):
            assert isinstance(other, msgspec.inspect.StructType)
            _check_fields(inner.cls, other.cls)


def _fields(struct: type) -> dict[str, msgspec.inspect.Type]:
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return {field.name: field.type for field in info.fields}


def _may_be_none(type_: msgspec.inspect.Type) -> bool:
    union = type_.types if isinstance(type_, msgspec.inspect.UnionType) else (type_,)
    return any(isinstance(one, msgspec.inspect.NoneType) for one in union)


def _item(type_: msgspec.inspect.Type) -> msgspec.inspect.Type:
    """Return the type of a tuple's items; other types as they are."""
    if isinstance(type_, msgspec.inspect.VarTupleType):
        return type_.item_type
    return type_
