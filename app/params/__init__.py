"""One frozen struct per task: call, message, command-line flags, form and record."""

from pathlib import Path
from typing import Any

import msgspec

from app.params.alignment import AlignDocuments
from app.params.base import TaskParams
from app.params.classify import (
    CheckLabels,
    Classify,
    EvaluateFewShot,
    EvaluateTransfer,
    ExportClassifier,
    ExportPredictions,
    ImportClassifier,
    TrainClassifier,
)
from app.params.corpora import (
    DescribeDocuments,
    ExportVectors,
    ImportCorpus,
    MakeSubcorpus,
)
from app.params.encoders import (
    AddEncoder,
    AlignEncoder,
    ExportEncoder,
    ImportVectors,
    MeasureCoverage,
)
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.mining import EvaluateMining, MinePairs, ScorePairs
from app.params.pairs import (
    ExportPackage,
    ExportPairs,
    MergePackage,
    OpenPackage,
    ReturnPackage,
)
from app.params.probing import MakeProbingSets, Probe
from app.params.projection import ProjectMap
from app.params.projects import CopyClean, MakeReport, SaveCopy
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.params.training.encoder import PlanTraining, TrainEncoder, TrainVocabulary
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.training.grid import TrainGrid
from app.params.translation import (
    EvaluateTranslation,
    PlanTranslation,
    TrainTranslation,
    TrainTranslationGrid,
    Translate,
)
from app.params.vectors import Encode, EvaluateTatoeba, LookInside, Search
from app.params.word_vectors import (
    EvaluateMappedSentences,
    EvaluateWordSimilarity,
    EvaluateWordTranslation,
    ImportWordVectors,
    LearnDictionary,
    MapLanguages,
    NearestWords,
    TrainWordVectors,
    TranslateWord,
)
from app.params.words import (
    Collocates,
    Concordance,
    Equivalents,
    ExportWordAlignments,
    Frequencies,
    ImportDictionary,
    IndexWords,
    Keyness,
    MoveHits,
)

# The one list of tasks: `ImportCorpus` names `tasks/import_corpus.py:import_corpus`.
Params = (
    ImportCorpus
    | Encode
    | Search
    | ExportVectors
    | TrainVocabulary
    | TrainEncoder
    | PlanTraining
    | TrainGrid
    | FineTuneEncoder
    | EvaluateRetrieval
    | EvaluateTatoeba
    | EvaluateSts
    | EvaluateSimilarityOfSpaces
    | EvaluateDownstream
    | CorrelateMeasurements
    | AddEncoder
    | AlignEncoder
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
    | CopyClean
    | Concordance
    | MoveHits
    | DescribeDocuments
    | FindDuplicates
    | FindLeakage
    | CheckCorpus
    | CompareEncoders
    | Equivalents
    | ExportWordAlignments
    | ImportDictionary
    | MakeSubcorpus
    | TrainTranslation
    | PlanTranslation
    | TrainTranslationGrid
    | Translate
    | EvaluateTranslation
    | TrainWordVectors
    | ImportWordVectors
    | MapLanguages
    | EvaluateWordTranslation
    | EvaluateMappedSentences
    | EvaluateWordSimilarity
    | NearestWords
    | TranslateWord
    | LearnDictionary
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
