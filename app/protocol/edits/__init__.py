"""Edits: small writes, most with an inverse for undo; `Change` is their union."""

from app.protocol.edits.alignments import AlignmentChange
from app.protocol.edits.corpora import CorpusChange, RenameHitList, RenameSubcorpus
from app.protocol.edits.encoders import DropVectors, EncoderChange
from app.protocol.edits.general import GeneralChange, RenameCorpus
from app.protocol.edits.labels import LabelChange, RenameClassifier
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.maps import MapChange, RenameProjection
from app.protocol.edits.pairs import PairChange, RenameMining

Change = (
    GeneralChange
    | EncoderChange
    | DropVectors
    | PairChange
    | AlignmentChange
    | ChangeLinks
    | LabelChange
    | MapChange
    | CorpusChange
)

RenameChange = (
    RenameClassifier
    | RenameCorpus
    | RenameHitList
    | RenameMining
    | RenameProjection
    | RenameSubcorpus
)
