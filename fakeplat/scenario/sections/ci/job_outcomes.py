"""Outcomes of played jobs in scenarios."""

from typing import Final

from fakeplat.domain.ci import job_outcomes
from fakeplat.model.ci import JobOutcome
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import PEOPLE, SCENARIO


def _create(entry: Entry) -> JobOutcome:
    (outcome,) = job_outcomes.add_outcomes(entry.ctx, [entry.values])
    return outcome


SECTION: Final = derive_section(
    "job_outcomes",
    JobOutcome,
    within=(SCENARIO,),
    rank=PEOPLE,
    keys=job_outcomes.DECLARATION.keys,
    required=tuple(job_outcomes.DECLARATION.required),
    one_of=tuple(job_outcomes.DECLARATION.one_of),
    descriptions=job_outcomes.DECLARATION.descriptions,
    create=_create,
    serialize=lambda _, outcome: job_outcomes.as_declaration(outcome),
)
