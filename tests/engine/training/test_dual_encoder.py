"""The dual encoder's preset against references written from the paper.

Chidambaram et al. 2019, "Learning Cross-Lingual Sentence Representations via a
Multi-task Dual-Encoder Model", sections 2 and 3. The references know nothing of the
modules that they check: they take weights and tokens, and compute with numpy.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.tokens import collate
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import WORDS_FILE, count_words, write_words
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.loop import TrainingLoop
from app.engine.training.recipes import ModuleRecipe, TrainingInputs
from app.engine.training.trainers.module_trainer import ModuleTrainer
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from tests.engine.training.making import Curve
from tests.engine.training.objectives.test_nli import write_inference
from tests.engine.training.objectives.test_quick_thought import write_documents
from tests.engine.training.synthetic import make_pairs, write_pairs

SMALL = {  # sizes of the preset that a test can bear; everything else is the preset's
    "n_pieces": 300,
    "n_ngrams": 64,
    "embed_dim": 12,
    "dim": 16,
    "n_heads": 2,
    "filter_dim": 24,
    "dropout": 0.0,
    "batch_size": 10,
    "n_coarse_steps": 4,
    "n_steps": 40,
    "n_development": 0,
    "precision": "float32",
}
SIX_TASKS = [
    "conversation.en",
    "conversation.de",
    "quick-thought.en",
    "quick-thought.de",
    "nli",
    "ranking.eng-deu",
]


def make_recipe(folder: Path, preset: str, **values: Any) -> ModuleRecipe:
    """Make the recipe of a small preset on six small files of data."""
    folder.mkdir(exist_ok=True)
    talks = [folder / "talk" / f"{code}.tsv" for code in ("eng", "deu")]
    texts = [folder / f"{code}.txt" for code in ("eng", "deu")]
    if not talks[0].exists():
        talks[0].parent.mkdir()
        for seed, file in enumerate(talks):
            write_pairs(file, 60, seed=20 + seed)
        for file in texts:
            write_documents(file, 30)
        write_inference(folder / "nli.tsv", 60)
        write_pairs(folder / "eng-deu.tsv", 80)
        words = count_words(side for pair in make_pairs(300) for side in pair)
        (folder / WORDS_FILE).write_bytes(write_words(sorted(words)))
    data = {
        "pairs": (folder / "eng-deu.tsv",),
        "nli": (folder / "nli.tsv",),
        "documents": tuple(texts),
        "conversations": tuple(talks),
    }
    params = msgspec.structs.replace(
        preset_params(preset, "small"), **{**SMALL, **data, **values}
    )
    work = TrainingInputs(
        folder=folder / "work",
        project_folder=None,
        files=params.pairs,
        languages=("deu", "eng"),
        kept_out=HeldOutSentences(np.empty(0, np.uint64)),
        vocabulary=folder,
        device="cpu",
    )
    work.folder.mkdir(exist_ok=True)
    return ModuleRecipe(work, params, Report())


def params_of(recipe: ModuleRecipe) -> TrainEncoder:
    made = recipe._made
    assert made is not None
    return made[0]


def take_steps(trainer: ModuleTrainer, n: int) -> list[str]:
    """Return the names of the tasks of some steps."""
    names = []
    for _ in range(n):
        trainer.prepare(Report())
        names.append(trainer.make_step(wants_values=True).objective)
    return names


def test_step_t_trains_task_t_modulo_six(tmp_path: Path) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder")
    trainer = recipe.make(params_of(recipe))
    assert take_steps(trainer, 12) == SIX_TASKS * 2


@pytest.mark.parametrize(
    ("preset", "tasks"),
    [
        ("dual-encoder-no-nli", [*SIX_TASKS[:4], SIX_TASKS[5]]),
        ("dual-encoder-no-quick-thought", [*SIX_TASKS[:2], *SIX_TASKS[4:]]),
        (
            "dual-encoder-english",
            ["conversation.en", "quick-thought.en", *SIX_TASKS[4:]],
        ),
        ("dual-encoder-ranking", ["ranking.eng-deu"]),
    ],
)
def test_an_ablation_leaves_out_the_tasks_of_the_paper(
    tmp_path: Path, preset: str, tasks: list[str]
) -> None:
    recipe = make_recipe(tmp_path, preset)
    assert take_steps(recipe.make(params_of(recipe)), len(tasks)) == tasks


def test_a_batch_of_a_task_is_in_one_language(tmp_path: Path) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder")
    assert recipe._made is not None
    tokeniser = recipe._tokeniser
    english, german = recipe._made[1][:2]
    for objective, file in ((english, "eng"), (german, "deu")):
        lines = (tmp_path / "talk" / f"{file}.tsv").read_text("utf-8").splitlines()
        own = tokeniser.tokenise([line.split("\t")[0] for line in lines])
        known = {tuple(own.take([i]).ids.tolist()) for i in range(own.n_sentences)}
        for step in range(5):
            columns = objective.draw(step).columns
            inputs = [columns.tokens.take([i]).ids.tolist() for i in range(10)]
            assert {tuple(ids) for ids in inputs} <= known


def test_a_language_that_no_file_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No file for conversation is in fra; found: e"):
        make_recipe(tmp_path, "dual-encoder-english", native_languages=("fra",))


def test_ranking_is_the_probability_of_the_source_given_the_target(
    tmp_path: Path,
) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder-ranking", seed=3)
    trainer = recipe.make(params_of(recipe))
    trainer.prepare(Report())  # trains the coarse model, mines
    objective, module = trainer._objectives[0], trainer._module
    examples = objective.draw(0)
    n = examples.columns.sizes[0]
    batch = collate(examples.columns.tokens, np.arange(examples.columns.n_sentences))
    vectors = module(batch).detach().double().numpy()
    sources, targets = vectors[:n], vectors[n : 2 * n]
    negatives = vectors[2 * n :]
    assert len(negatives) == 5 * n
    masked = examples.masked["source"]  # equal sentences are no negatives
    expected = []
    for i in range(n):
        candidates = np.concatenate([sources, negatives])
        scores = candidates @ targets[i]  # neither divided nor normalised
        expected.append(np.logaddexp.reduce(scores[~masked[i]]) - scores[i])
    found = float(objective.loss(module, examples).loss.detach())
    assert found == pytest.approx(np.mean(expected), rel=1e-5)
    # neither the other direction nor the cosine would pass
    other = [
        np.logaddexp.reduce(targets @ sources[i]) - targets[i] @ sources[i]
        for i in range(n)
    ]
    assert abs(found - np.mean(other)) > 1e-3


def test_a_step_is_plain_sgd_with_tables_a_hundred_times_as_fast(
    tmp_path: Path,
) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder-no-quick-thought")
    params = params_of(recipe)
    trainer = recipe.make(params)
    assert trainer._objectives[2].name == "nli"
    take_steps(trainer, 2)
    before = {name: p.detach().clone() for name, p in trainer._named.items()}
    counters = trainer._objectives[2].state()
    trainer.prepare(Report())
    trainer.make_step(wants_values=False)
    after = {name: p.detach().clone() for name, p in trainer._named.items()}
    # the same loss again at the former weights, and its gradient by autograd
    with torch.no_grad():
        for name, parameter in trainer._named.items():
            parameter.copy_(before[name])
            parameter.grad = None
    trainer._objectives[2].restore(counters)
    examples = trainer._objectives[2].draw(2)
    trainer._objectives[2].loss(trainer._module, examples).loss.backward()
    n_tables = 0
    for name, parameter in trainer._named.items():
        if parameter.grad is None:
            assert torch.equal(after[name], before[name])  # heads of other tasks
            continue
        is_table = name in ("module.embed.weight", "module.ngrams.embed.weight")
        n_tables += is_table
        rate = 0.008 * (100 if is_table else 1)
        expected = before[name] - rate * parameter.grad
        torch.testing.assert_close(after[name], expected, atol=1e-6, rtol=1e-5)
    assert n_tables == 2


def test_sgd_goes_on_from_a_checkpoint_to_the_same_weights(tmp_path: Path) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder")
    params = msgspec.structs.replace(params_of(recipe), n_steps=16)
    whole = recipe.make(params)
    take_steps(whole, 9)
    state = msgspec.structs.replace(
        whole.state(), tensors={n: t.clone() for n, t in whole.state().tensors.items()}
    )
    take_steps(whole, 4)
    resumed = recipe.make(params)
    resumed.restore(state)
    take_steps(resumed, 4)
    for name, weight in whole.weights().items():
        assert torch.equal(weight, resumed.weights()[name])


def test_hard_negatives_come_from_a_model_of_translation_ranking_alone(
    tmp_path: Path,
) -> None:
    recipe = make_recipe(tmp_path, "dual-encoder-ranking", n_coarse_steps=30)
    params = params_of(recipe)
    trainer = recipe.make(params)
    curve = Curve()
    trainer.prepare(curve.report)
    assert "Training the encoder that mines hard negatives" in curve.stages
    assert curve.points == {}, "its curve is not that of the run"
    found = np.load(recipe._work.folder / "negatives-source-000000000.npy")
    # by hand: the same model without hard negatives, trained for as many steps
    alone = msgspec.structs.replace(params, n_hard_negatives=0, n_steps=30)
    torch.manual_seed(params.seed + 2)
    coarse = recipe._make_module()
    other = make_recipe(tmp_path, "dual-encoder-ranking", n_hard_negatives=0)
    reference = other.make(alone)
    with torch.no_grad():
        for name, parameter in reference._module.named_parameters():
            parameter.copy_(coarse.get_parameter(name))
    folder = tmp_path / "reference"
    folder.mkdir()
    TrainingLoop(reference, alone, folder, Report()).run()
    encoder = NeuralEncoder(reference._module, recipe._tokeniser)
    pairs = [
        line.split("\t")[:2]
        for line in (tmp_path / "eng-deu.tsv").read_text("utf-8").splitlines()
    ]
    sides = [encoder.encode(list(side)) for side in zip(*pairs, strict=True)]
    sources, targets = (
        side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides
    )
    cosines = targets @ sources.T
    np.fill_diagonal(cosines, -2)
    nearest = np.argsort(-cosines, axis=1)[:, :5]
    agreeing = [len({*a} & {*b}) for a, b in zip(nearest, found, strict=True)]
    assert np.mean(agreeing) > 4.9  # of 5; pairs that share a side are left out


def test_a_killed_coarse_training_goes_on(tmp_path: Path) -> None:
    recipe = make_recipe(
        tmp_path, "dual-encoder-ranking", n_coarse_steps=30, checkpoint_every_s=1e-6
    )
    params = params_of(recipe)
    report = Report()
    stages: list[int] = []

    def step(stage: str, done: int, total: int, note: str = "") -> None:
        stages.append(done)
        if done == 12 and total == 30:
            raise KeyboardInterrupt

    report.step = step  # type: ignore[method-assign] # the kill
    with pytest.raises(KeyboardInterrupt):
        recipe.make(params).prepare(report)
    again = Curve()
    recipe.make(params).prepare(again.report)
    names = {file.name for file in (recipe._work.folder / "coarse").glob("checkpoint*")}
    assert "checkpoint-000000030.safetensors" in names
    assert (recipe._work.folder / "negatives-source-000000000.npy").exists()
