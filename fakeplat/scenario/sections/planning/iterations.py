"""Iterations of groups."""

from typing import Final

from fakeplat.core.schema.shapes import DATE, Integer
from fakeplat.domain.planning import iterations
from fakeplat.model.planning import Iteration
from fakeplat.scenario.record_sections import derive_section, own_fields

SECTION: Final = derive_section(
    "iterations",
    Iteration,
    within=("group",),
    keys=own_fields(Iteration, iid=Integer(minimum=1), start_date=DATE, due_date=DATE),
    required=("title", "start_date", "due_date"),
    unique="iid",
    age_of_owner=True,
    add=iterations.create,
)
