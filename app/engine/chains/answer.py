"""Answer what a chain of queries leaves, while it is being written."""

from typing import Any

from app.chains import ChainStep, parse_step
from app.engine.chains.chain import run_chain
from app.engine.chains.context import ChainDesk
from app.engine.report import Report
from app.engine.search.desk import SearchDesk
from app.engine.search.languages import is_wanted
from app.errors import UserError
from app.word_questions import ChainQuery


def answer_chain(desk: SearchDesk, query: ChainQuery, report: Report) -> dict[str, Any]:
    """Count what each step leaves; a step that can't be done leaves everything.

    The first steps are not done again where they are those of a chain before.

    Raises:
        UserError: a sub-corpus that it begins with is gone.
        Cancelled: a newer question came; steps that were done are known the next time.
    """
    steps: list[ChainStep | UserError] = []
    for line in query.steps:
        try:
            steps.append(parse_step(line))
        except UserError as error:
            steps.append(error)
    corpora = desk.corpora(query.corpora, query.subcorpora)
    corpora = [row for row in corpora if is_wanted(row.language, query.languages)]
    chain_desk = ChainDesk(desk, query.encoder, report=report, memory=desk.chains)
    found = run_chain(chain_desk, corpora, steps, goes_on=True)
    return {
        "counts": found.counts,
        "file": desk.write_view(found.ids),
        "n": len(found.ids),
        "problems": found.problems,
        "not_indexed": found.not_indexed,
        "not_encoded": found.not_encoded,
    }
