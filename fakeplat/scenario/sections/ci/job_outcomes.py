"""Outcomes of played jobs in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain.ci import job_outcomes
from fakeplat.model.ci import JobOutcome
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, EntryData, Section


def _create(entry: Entry) -> JobOutcome:
    (outcome,) = job_outcomes.add_outcomes(entry.ctx, [entry.values])
    return outcome


def _export(world: World, _container: Any) -> Iterable[tuple[JobOutcome, EntryData]] | None:
    return [(outcome, job_outcomes.as_declaration(outcome)) for outcome in world.job_outcomes.all()] or None


SECTION: Final = Section(
    "job_outcomes",
    within=(SCENARIO,),
    rank=PEOPLE,
    keys=job_outcomes.DECLARATION,
    create=_create,
    export=_export,
)
