"""Content of the demo project apart from its texts, for every view."""

from pathlib import Path

import msgspec
from sqlalchemy import text

from app.engine.demo import perform
from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets
from app.params.base import TaskParams
from app.params.classify import Classify, EvaluateTransfer, TrainClassifier
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.encoders import MeasureCoverage
from app.params.evaluation import EvaluateRetrieval, EvaluateSimilarityOfSpaces
from app.params.mining import AlignDocuments, MinePairs
from app.params.projection import ProjectMap
from app.params.quality import FindDuplicates
from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from app.params.translation import EvaluateTranslation, TrainTranslation
from app.params.vectors import Encode
from app.params.word_vectors import MapLanguages, TrainWordVectors
from app.params.words import Concordance, ImportDictionary, IndexWords
from app.paths import resource_dir
from app.protocol.edits.general import SetNote
from app.protocol.edits.pairs import JudgePairs, Verdict

PAPERS = {"en": "The Gazette", "de": "Der Anzeiger"}
TOPICS = ("weather", "food")
N_ACCEPTED, N_REJECTED = 24, 8  # judged pairs; the others are left to the user
N_STEPS = 200  # for the small training
SKIP_COST = 0.7  # the default would leave a joined sentence unlinked
WORD = "night"  # of the saved hit list: most of its lines have translations
RETRIEVAL_ENCODERS = ("isogloss-2", "isogloss-3")  # newest last
WORDS = {"en": "English", "de": "German"}  # languages and corpora of the word vectors
BRIDGE = ("en", "de", "fr")  # languages of the translation model
BRIDGE_NAME = "one-minute-translator"
N_BRIDGE_STEPS = 1_200
SIZES = {"n_pieces": 3_000, "n_ngrams": 4_096, "dim": 64, "batch_size": 256}


def finish_demo(project: Project, report: Report) -> None:
    """Mine, judge, align, classify, evaluate, train and draw maps in the demo.

    Args:
        project: result of `build_from_samples`, open for writing.
    """
    names = tuple(corpus.name for corpus in list_corpora(project.store))
    tests = tuple(
        f"{corpus.language}={corpus.name}" for corpus in list_corpora(project.store)
    )
    _perform_all(project, report, _pair_tasks())
    _judge(project)
    english = next(it for it in list_corpora(project.store) if it.language == "en")
    _perform_all(
        project,
        report,
        [
            *(
                MakeSubcorpus(
                    corpora=("English",), steps=(f"label {topic}",), name=topic.title()
                )
                for topic in TOPICS
            ),
            IndexWords(corpora=names),
            Concordance(text=WORD, save=WORD),
            TrainClassifier(name="Topics", train=("English",)),
            Classify(classifier="Topics", corpora=("Swahili", "Turkish")),
            # Rows linked with test rows are left out of the training, and form the
            # English test.
            EvaluateTransfer(train="English", tests=tests, apart=True),
            MeasureCoverage(corpora=names),
            FindDuplicates(corpora=names),
            _training(english.id),
            ProjectMap(corpora=names, name="Twelve languages"),
            *_word_tasks(),
            *_translation_tasks(),
            # The last runs come first in Evaluate.
            EvaluateSimilarityOfSpaces(corpora=names[:6], n_samples=100),
            *(
                EvaluateRetrieval(corpora=names, matrix=True, encoder=encoder)
                for encoder in RETRIEVAL_ENCODERS
            ),
        ],
    )


def _perform_all(project: Project, report: Report, tasks: list[TaskParams]) -> None:
    for params in tasks:
        perform(project, params, report)


def _pair_tasks() -> list[TaskParams]:
    """Return the tasks of mining, of two encoded newspapers, and of their alignment."""
    folder = resource_dir() / "samples" / "papers"
    papers = [
        ImportCorpus(
            files=(folder / f"{language}.txt",), languages=(language,), names=(name,)
        )
        for language, name in PAPERS.items()
    ]
    return [
        MinePairs(source="German", target="English", candidates=True),
        *papers,
        Encode(corpora=tuple(PAPERS.values())),
        AlignDocuments(source=PAPERS["de"], target=PAPERS["en"], skip=SKIP_COST),
    ]


def _judge(project: Project) -> None:
    """Judge some mined pairs according to the gold links, and write a note."""
    (mined,) = (row for row in list_pair_sets(project.store) if row.kind == "mined")
    query = text(
        "SELECT pair.id, pair.source_id, link.source_id IS NOT NULL FROM pair "
        "LEFT JOIN link ON link.kind = 'gold' AND ("
        "(link.source_id = pair.source_id AND link.target_id = pair.target_id) OR "
        "(link.source_id = pair.target_id AND link.target_id = pair.source_id)) "
        "WHERE pair.id BETWEEN :first AND :last ORDER BY pair.score DESC"
    )
    ids = {"first": first_pair_id(mined.id), "last": first_pair_id(mined.id + 1) - 1}
    with project.store.connect() as connection:
        rows = connection.execute(query, ids).all()
    judged: dict[Verdict, list[int]] = {
        "accept": [id_ for id_, _, is_gold in rows if is_gold][:N_ACCEPTED],
        "reject": [id_ for id_, _, is_gold in rows if not is_gold][-N_REJECTED:],
    }
    for verdict, pairs in judged.items():
        for pair in pairs:
            change = JudgePairs(pairs=(pair,), verdict=verdict)
            apply_edit(project, change, lambda _kind, _id: None)
    note = SetNote(sentence=rows[0][1], text="A good example for the lesson.")
    apply_edit(project, note, lambda _kind, _id: None)


def _training(english: int) -> TrainEncoder:
    params = preset_params("quick", "letters")
    sizes = SIZES | {"n_warmup": 10, "evaluate_every": 10, "lr": 0.01}
    return msgspec.structs.replace(
        params, corpora=(str(english),), n_steps=N_STEPS, **sizes
    )


def _word_tasks() -> list[TaskParams]:
    """Return the tasks of word vectors, their mapping, and a dictionary."""
    dictionary = " – ".join(WORDS.values())
    file = resource_dir() / "samples" / "translation" / "dictionary.en-de.tsv"
    source, target = WORDS
    return [
        *(
            TrainWordVectors(corpora=(name,), name=name, method="encoder")
            for name in WORDS.values()
        ),
        ImportDictionary(
            file=file, source_language=source, target_language=target, name=dictionary
        ),
        MapLanguages(
            source=Path(WORDS[source]),
            target=Path(WORDS[target]),
            name=dictionary,
        ),
    ]


def _translation_tasks() -> list[TaskParams]:
    """Return the tasks of a small translation model and its measurements."""
    tables = resource_dir() / "samples" / "translation"
    first, *others = BRIDGE
    training = TrainTranslation(
        name=BRIDGE_NAME,
        corpora=("English",),  # linked with the corpora of all other languages
        languages=BRIDGE,
        directions=tuple(
            f"{a}-{b}" for it in others for a, b in ((first, it), (it, first))
        ),
        copies=True,
        n_heads=10,
        bridge_dim=64,
        n_pieces=500,
        embed_dim=64,
        dim=128,
        max_tokens=64,
        n_steps=N_BRIDGE_STEPS,
        batch_size=30,
        lr=0.004,
        n_development=0,  # it memorises all 60 sentences
    )
    return [
        training,
        *(
            EvaluateTranslation(model=BRIDGE_NAME, table=tables / name)
            for name in ("linked.tsv", "new.tsv")
        ),
    ]
