"""One frozen struct per task: call, message, flags, form and record at once."""

from pathlib import Path
from typing import Any

import msgspec

from app.params.alignment import AlignDocuments
from app.params.base import TaskParams
from app.params.care import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.params.classifiers import ExportClassifier, ImportClassifier
from app.params.classify import (
    CheckLabels,
    Classify,
    EvaluateFewShot,
    EvaluateTransfer,
    ExportPredictions,
    TrainClassifier,
)
from app.params.concordance import Concordance, MoveHits
from app.params.corpora import ExportVectors, ImportCorpus
from app.params.encoders import (
    AddEncoder,
    ExportEncoder,
    ImportVectors,
    MeasureCoverage,
)
from app.params.equivalents import Equivalents, ImportDictionary
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.exports import ExportPairs
from app.params.look import LookInside
from app.params.mining import EvaluateMining, MinePairs, ScorePairs
from app.params.packages import (
    ExportPackage,
    MergePackage,
    OpenPackage,
    ReturnPackage,
)
from app.params.probing import Probe
from app.params.projection import ProjectMap
from app.params.projects import SaveCopy
from app.params.reports import MakeReport
from app.params.subcorpora import DescribeDocuments, MakeSubcorpus
from app.params.training import PlanTraining, TrainEncoder, TrainVocabulary
from app.params.treebanks import MakeProbingSets
from app.params.vectors import Encode, EvaluateTatoeba, Search
from app.params.words import Collocates, Frequencies, IndexWords, Keyness

# The one list of tasks: `ImportCorpus` names `tasks/import_corpus.py:import_corpus`.
Params = (
    ImportCorpus
    | Encode
    | Search
    | ExportVectors
    | TrainVocabulary
    | TrainEncoder
    | PlanTraining
    | EvaluateRetrieval
    | EvaluateTatoeba
    | EvaluateSts
    | EvaluateSimilarityOfSpaces
    | EvaluateDownstream
    | CorrelateMeasurements
    | AddEncoder
    | ImportVectors
    | MeasureCoverage
    | MinePairs
    | ScorePairs
    | EvaluateMining
    | AlignDocuments
    | TrainClassifier
    | Classify
    | ExportClassifier
    | ImportClassifier
    | EvaluateTransfer
    | CheckLabels
    | EvaluateFewShot
    | ExportPredictions
    | ProjectMap
    | ExportEncoder
    | ExportPairs
    | ExportPackage
    | OpenPackage
    | ReturnPackage
    | MergePackage
    | Probe
    | MakeProbingSets
    | LookInside
    | MakeReport
    | IndexWords
    | Frequencies
    | Collocates
    | Keyness
    | SaveCopy
    | Concordance
    | MoveHits
    | DescribeDocuments
    | FindDuplicates
    | FindLeakage
    | CheckCorpus
    | CompareEncoders
    | Equivalents
    | ImportDictionary
    | MakeSubcorpus
)
ALL_PARAMS: tuple[type[TaskParams], ...] = Params.__args__


def command_name(params_type: type[TaskParams]) -> str:
    """Name a task as the command line and the record do: `import-corpus`."""
    return str(params_type.__struct_config__.tag)


def encode_hook(value: object) -> object:
    """Carry a Path as text (msgspec refuses it both ways)."""
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def decode_hook(type_: type, value: object) -> object:
    """Make a Path of its text again."""
    if type_ is Path:
        return Path(str(value))
    raise TypeError(f"{type_.__name__} cannot be received")


def params_to_json(params: TaskParams) -> str:
    """Write params as the record in table `run` holds them."""
    return msgspec.json.encode(params, enc_hook=encode_hook).decode()


def params_from_json(text: str | bytes) -> Any:
    """Read params back; raises msgspec.ValidationError naming the field."""
    return msgspec.json.decode(text, type=Params, dec_hook=decode_hook)


def build_params(params_type: type[TaskParams], values: dict[str, Any]) -> Any:
    """Build params with every bound checked (a constructor checks none)."""
    tagged = {"task": command_name(params_type), **values}
    plain = msgspec.to_builtins(tagged, enc_hook=encode_hook)
    return msgspec.convert(plain, type=params_type, dec_hook=decode_hook, strict=False)


__all__ = [
    "ALL_PARAMS",
    "AddEncoder",
    "AlignDocuments",
    "CheckCorpus",
    "CheckLabels",
    "Classify",
    "Collocates",
    "CompareEncoders",
    "Concordance",
    "CorrelateMeasurements",
    "DescribeDocuments",
    "Encode",
    "Equivalents",
    "EvaluateDownstream",
    "EvaluateFewShot",
    "EvaluateMining",
    "EvaluateRetrieval",
    "EvaluateSimilarityOfSpaces",
    "EvaluateSts",
    "EvaluateTatoeba",
    "EvaluateTransfer",
    "ExportClassifier",
    "ExportEncoder",
    "ExportPackage",
    "ExportPairs",
    "ExportPredictions",
    "ExportVectors",
    "FindDuplicates",
    "FindLeakage",
    "Frequencies",
    "ImportClassifier",
    "ImportCorpus",
    "ImportDictionary",
    "ImportVectors",
    "IndexWords",
    "Keyness",
    "LookInside",
    "MakeProbingSets",
    "MakeReport",
    "MakeSubcorpus",
    "MeasureCoverage",
    "MergePackage",
    "MinePairs",
    "MoveHits",
    "OpenPackage",
    "Params",
    "PlanTraining",
    "Probe",
    "ProjectMap",
    "ReturnPackage",
    "SaveCopy",
    "ScorePairs",
    "Search",
    "TaskParams",
    "TrainClassifier",
    "TrainEncoder",
    "TrainVocabulary",
    "build_params",
    "command_name",
    "decode_hook",
    "encode_hook",
    "params_from_json",
    "params_to_json",
]
