"""One frozen struct per task: call, message, command-line flags, form and record."""

from pathlib import Path
from typing import Any

import msgspec

from app.params import (
    classify,
    corpora,
    encoders,
    evaluation,
    mining,
    pairs,
    probing,
    projection,
    projects,
    quality,
    translation,
    vectors,
    word_vectors,
    words,
)
from app.params.base import TaskParams
from app.params.training import encoder, fine_tuning, grid

# The only list of tasks: `ImportCorpus` maps to `tasks/import_corpus.py:import_corpus`.
Params = (
    corpora.ImportCorpus
    | vectors.Encode
    | vectors.Search
    | corpora.ExportVectors
    | encoder.TrainVocabulary
    | encoder.TrainEncoder
    | encoder.PlanTraining
    | grid.TrainGrid
    | fine_tuning.FineTuneEncoder
    | evaluation.EvaluateRetrieval
    | vectors.EvaluateTatoeba
    | evaluation.EvaluateSts
    | evaluation.EvaluateSimilarityOfSpaces
    | evaluation.EvaluateDownstream
    | evaluation.CorrelateMeasurements
    | encoders.AddEncoder
    | encoders.AlignEncoder
    | encoders.ImportVectors
    | encoders.MeasureCoverage
    | mining.MinePairs
    | mining.ScorePairs
    | mining.EvaluateMining
    | mining.AlignDocuments
    | classify.TrainClassifier
    | classify.Classify
    | classify.ExportClassifier
    | classify.ImportClassifier
    | classify.EvaluateTransfer
    | classify.CheckLabels
    | classify.EvaluateFewShot
    | classify.ExportPredictions
    | classify.ExportTransfer
    | projection.ProjectMap
    | encoders.ExportEncoder
    | pairs.ExportPairs
    | pairs.ExportPackage
    | pairs.OpenPackage
    | pairs.ReturnPackage
    | pairs.MergePackage
    | probing.Probe
    | probing.MakeProbingSets
    | vectors.LookInside
    | projects.MakeReport
    | words.IndexWords
    | words.Frequencies
    | words.Collocates
    | words.Keyness
    | projects.SaveCopy
    | projects.CopyClean
    | words.Concordance
    | words.MoveHits
    | corpora.DescribeDocuments
    | quality.FindDuplicates
    | quality.FindLeakage
    | quality.CheckCorpus
    | quality.CompareEncoders
    | words.Equivalents
    | words.ExportWordAlignments
    | words.ImportDictionary
    | corpora.MakeSubcorpus
    | translation.TrainTranslation
    | translation.PlanTranslation
    | translation.TrainTranslationGrid
    | translation.Translate
    | translation.EvaluateTranslation
    | word_vectors.TrainWordVectors
    | word_vectors.ImportWordVectors
    | word_vectors.MapLanguages
    | word_vectors.EvaluateWordTranslation
    | word_vectors.EvaluateMappedSentences
    | word_vectors.EvaluateWordSimilarity
    | word_vectors.NearestWords
    | word_vectors.TranslateWord
    | word_vectors.LearnDictionary
)
ALL_PARAMS: tuple[type[TaskParams], ...] = Params.__args__


def command_name(params_type: type[TaskParams]) -> str:
    """Return a task's name in commands and records: `import-corpus`."""
    return str(params_type.__struct_config__.tag)


def encode_hook(value: object) -> object:
    """Encode a Path as text, which msgspec does not support."""
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def decode_hook(type_: type, value: object) -> object:
    """Decode a Path from text."""
    if type_ is Path:
        return Path(str(value))
    raise TypeError(f"{type_.__name__} cannot be received")


def params_to_json(params: TaskParams) -> str:
    """Encode params as stored in table `run`."""
    return msgspec.json.encode(params, enc_hook=encode_hook).decode()


def params_from_json(text: str | bytes) -> Any:
    """Decode params; raise msgspec.ValidationError with the field."""
    return msgspec.json.decode(text, type=Params, dec_hook=decode_hook)


def build_params(params_type: type[TaskParams], values: dict[str, Any]) -> Any:
    """Build params with all constraints checked, unlike the constructor."""
    tagged = {"task": command_name(params_type), **values}
    plain = msgspec.to_builtins(tagged, enc_hook=encode_hook)
    return msgspec.convert(plain, type=params_type, dec_hook=decode_hook, strict=False)
