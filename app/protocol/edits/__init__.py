"""Edits: small writes, most with an inverse for undo; `Change` is their union."""

from app.protocol.edits.alignments import AlignmentChange
from app.protocol.edits.corpora import (
    DocumentChange,
    EditSentence,
    HiddenChange,
    ListChange,
    RenameHitList,
    RenameSubcorpus,
    SetDictionaryState,
    SetHitListState,
    SetSubcorpusState,
    SetVectorsLanguage,
    SubcorpusChange,
)
from app.protocol.edits.encoders import DropVectors, EncoderChange
from app.protocol.edits.general import (
    GeneralChange,
    RenameCorpus,
    SetCorpusState,
    SetRunState,
)
from app.protocol.edits.labels import LabelChange, RenameClassifier, SetClassifierState
from app.protocol.edits.links import LinkChange
from app.protocol.edits.maps import MapChange, RenameProjection, SetProjectionState
from app.protocol.edits.pairs import PairChange, RenameMining, SetMiningState

Change = (
    GeneralChange
    | EncoderChange
    | DropVectors
    | PairChange
    | AlignmentChange
    | LinkChange
    | LabelChange
    | MapChange
    | HiddenChange
    | EditSentence
    | SubcorpusChange
    | DocumentChange
    | ListChange
    | SetVectorsLanguage
)

RenameChange = (
    RenameClassifier
    | RenameCorpus
    | RenameHitList
    | RenameMining
    | RenameProjection
    | RenameSubcorpus
)

StateChange = (
    SetClassifierState
    | SetCorpusState
    | SetDictionaryState
    | SetHitListState
    | SetMiningState
    | SetProjectionState
    | SetRunState
    | SetSubcorpusState
)
