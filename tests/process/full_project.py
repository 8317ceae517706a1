"""A project in which every view has something to show."""

from pathlib import Path

from app.engine.demo import build_from_samples
from app.engine.project.project import Project, open_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.params.alignment import AlignDocuments
from app.params.base import TaskParams
from app.params.classify import Classify, EvaluateTransfer, TrainClassifier
from app.params.encoders import MeasureCoverage
from app.params.evaluation import EvaluateRetrieval
from app.params.mining import MinePairs
from app.params.projection import ProjectMap
from app.params.quality import FindDuplicates
from app.params.training.encoder import TrainEncoder
from app.params.words import IndexWords

CORPORA = ("English", "German")
TRAINING = TrainEncoder(
    name="small",
    corpora=CORPORA,
    architecture="bilstm",
    n_pieces=1_200,
    embed_dim=16,
    dim=16,
    n_steps=30,
    batch_size=16,
    batch_tokens=400,
    precision="float32",
    n_development=20,
    evaluate_every=10,
)
TASKS: tuple[TaskParams, ...] = (
    MinePairs(source=CORPORA[0], target=CORPORA[1], name="Letters"),
    AlignDocuments(source=CORPORA[0], target=CORPORA[1], name="Documents"),
    IndexWords(corpora=CORPORA),
    ProjectMap(corpora=CORPORA, name="Languages", n_epochs=20),
    TrainClassifier(name="Topics", train=CORPORA[:1], n_epochs=5),
    Classify(classifier="Topics", corpora=CORPORA[1:]),
    EvaluateTransfer(train=CORPORA[0], tests=("de=German",), n_epochs=5),
    EvaluateRetrieval(corpora=CORPORA),
    FindDuplicates(corpora=CORPORA),
    MeasureCoverage(corpora=CORPORA),
    TRAINING,
)


def build_full_project(folder: Path) -> Path:
    """Build the demo, and run a task for each view; takes about 20 s."""
    build_from_samples(folder, Report())
    with open_project(folder) as project:
        for params in TASKS:
            _perform(project, params)
    return folder


def _perform(project: Project, params: TaskParams) -> None:
    run = queue_run(project, params)
    perform_run(project, params, Report(run=run))
