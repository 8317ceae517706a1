"""Compare counts and scores of words with nltk, over texts of plain words."""

import math
import re
from functools import cache

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.sentences import read_texts
from app.engine.tasks.collocates import collocates
from app.engine.tasks.frequencies import frequencies
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.index_words import index_words
from app.engine.tasks.keyness import keyness
from app.params.corpora import ImportCorpus
from app.params.words import Collocates, Frequencies, IndexWords, Keyness
from tests.peers.agreement import Agreement, Peers, agree

NODE, SPAN, PLACES = "the", 5, 1e-4


def plain_sentences(project: Project) -> tuple[list[list[str]], list[list[str]]]:
    """Return the English sample as words of a to z, in two halves."""
    (row,) = [one for one in list_corpora(project.store) if one.name == "en"]
    texts = read_texts(project.store, row.id, 0, row.n_sentences)
    found = [re.findall("[a-z]+", text.lower()) for text in texts]
    sentences = [words for words in found if words]
    middle = len(sentences) // 2
    return sentences[:middle], sentences[middle:]


@cache
def _halves(peers: Peers) -> tuple[list[list[str]], list[list[str]]]:
    """Import the halves as the corpora `one` and `two`, and index their words."""
    halves = plain_sentences(peers.project)
    for name, half in zip(("one", "two"), halves, strict=True):
        file = peers.folder / f"{name}.txt"
        lines = "".join(" ".join(words) + "\n" for words in half)
        file.write_text(lines, "utf-8", newline="\n")
        params = ImportCorpus(files=(file,), languages=("en",), names=(name,))
        import_corpus(peers.project, params, Report())
    index_words(peers.project, IndexWords(corpora=("one", "two")), Report())
    return halves


def compare_counts(peers: Peers) -> Agreement:
    """Compare the counts of all words with FreqDist."""
    from nltk import FreqDist

    sentences, _ = _halves(peers)
    params = Frequencies(corpora=("one",), top=100_000)
    rows = frequencies(peers.project, params, Report()).rows
    wanted = FreqDist(word for words in sentences for word in words)
    found = {row.item: row.n for row in rows}
    return agree(found == dict(wanted), f"{len(found):,} words")


def compare_collocates(peers: Peers) -> Agreement:
    """Compare the collocates of a word with a loop and nltk's measures."""
    from nltk import BigramAssocMeasures

    sentences, _ = _halves(peers)
    total: dict[str, int] = {}
    near: dict[str, int] = {}
    n_near = n_hits = 0
    for words in sentences:
        hits = {index for index, word in enumerate(words) if word == NODE}
        n_hits += len(hits)
        for index, word in enumerate(words):
            total[word] = total.get(word, 0) + 1
            is_near = any(abs(index - hit) <= SPAN for hit in hits)
            if is_near and index not in hits:
                near[word] = near.get(word, 0) + 1
                n_near += 1
    params = Collocates(text=NODE, corpora=("one",), left=SPAN, right=SPAN, top=100_000)
    rows = collocates(peers.project, params, Report()).rows
    n_tokens = sum(total.values()) - n_hits  # chance is among those outside of hits
    worst, is_same = 0.0, True
    for row in rows:
        if row.item == NODE:
            continue
        n, n_word = near[row.item], total[row.item]
        is_same &= (row.n, row.n_corpus) == (n, n_word)
        expected = n_near * n_word / n_tokens
        table = n, (n_near, n_word), n_tokens
        sign = -1 if n < expected else 1
        likelihood = sign * BigramAssocMeasures.likelihood_ratio(*table)
        log_dice = 14 + math.log2(2 * n / (n_hits + n_word))
        t_score = BigramAssocMeasures.student_t(*table)
        for own, other in (
            (row.log_likelihood, likelihood),
            (row.log_dice, log_dice),
            (row.t_score, t_score),
        ):
            worst = max(worst, abs(own - other))
    figures = f"{len(rows):,} collocates, largest difference {worst:.1e}"
    return agree(bool(rows) and is_same and worst < PLACES, figures)


def compare_keyness(peers: Peers) -> Agreement:
    """Compare the keywords of one half against the other with nltk's G²."""
    from nltk import BigramAssocMeasures

    one, two = _halves(peers)
    params = Keyness(corpora=("one",), against=("two",), top=100_000)
    rows = keyness(peers.project, params, Report()).rows
    n_one, n_two = (sum(map(len, half)) for half in (one, two))
    worst = 0.0
    for row in rows:
        both = row.n + row.n_against
        table = row.n, (both, n_one), n_one + n_two
        wanted = BigramAssocMeasures.likelihood_ratio(*table)
        worst = max(worst, abs(abs(row.log_likelihood) - wanted))
    figures = f"{len(rows):,} words, largest difference {worst:.1e}"
    return agree(bool(rows) and worst < PLACES, figures)
