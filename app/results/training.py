"""Results of trainings: estimates before, and changes after a training."""

from collections.abc import Sequence

import msgspec


class TrainingPlan(msgspec.Struct, frozen=True):
    """Estimated resources of a training on this machine.

    Attributes:
        time_s: seconds to the last step, without training a vocabulary.
        step_s: seconds per step.
        prepare_s: seconds before the first step.
        measure_s: seconds per measurement of the development error.
        memory_bytes: peak memory of the engine, or of the GPU if it is used.
        disk_bytes: largest size of the work folder, which is deleted after the
            training.
        saved_bytes: size of the encoder.
        n_parameters: number of trained weights.
        n_examples: approximate number of pairs or other examples.
        device: device of the trial.
        precision: arithmetic precision of the steps.
        sentences_per_s, tokens_per_s, steps_per_s: rates of the steps.
        notes: sentences for the user.
    """

    time_s: float
    step_s: float
    prepare_s: float
    measure_s: float
    memory_bytes: int
    disk_bytes: int
    saved_bytes: int
    n_parameters: int
    n_examples: int
    device: str
    precision: str
    sentences_per_s: float
    tokens_per_s: float
    steps_per_s: float
    notes: tuple[str, ...]


class ErrorChange(msgspec.Struct, frozen=True):
    """Retrieval error before and after a training that started from an encoder, 0…1.

    Attributes:
        language: code, or the name of the file of pairs.
        is_other: whether the language was not trained on (measured on the sample
            sentences).
    """

    language: str
    is_other: bool
    before: float
    after: float


def pairs_of_mean(counts: Sequence[int]) -> int:
    """Return the pairs that the mean error over languages counts as.

    The variance of the mean of l languages with n_i pairs each is that of
    l² ÷ Σ(1 ÷ n_i) pairs of one language with the same error.
    """
    if not counts or not all(counts):
        return 0
    return round(len(counts) ** 2 / sum(1 / n for n in counts))
