"""The list `generate`: how many things are to be made by chance, and where.

Users belong to the world and become members of the entry's groups, or of where it goes ``into``. Groups are made in
a group or at the top; projects in the groups of the entry, else in a group or with a user. Labels and milestones are
spread over the projects of the entry, else its groups, else they go into a project or group; issues over the projects
of the entry, else into a project, and so are commits with branches and tags, and merge requests of these branches.
"""

from typing import Any, Final, get_args

from fakeplat.core.schema.shapes import COUNT, TEXT, Choice, Object
from fakeplat.model.levels import Visibility
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import GENERATED, SCENARIO, Section, Told


def _make(entry: Entry) -> None:
    from fakeplat.scenario.generating.generation import Generation

    Generation(entry).run()


def _tell(world: Any, owner: Any) -> list[tuple[Any, Told]] | None:
    """What was generated is told as what it is."""
    del world, owner
    return None


SECTION: Final = Section(
    "generate",
    under=(SCENARIO,),
    rank=GENERATED,
    keys=Object(
        {
            "into": TEXT,
            "users": COUNT,
            "groups": COUNT,
            "projects": COUNT,
            "labels": COUNT,
            "milestones": COUNT,
            "issues": COUNT,
            "commits": COUNT,
            "branches": COUNT,
            "tags": COUNT,
            "merge_requests": COUNT,
            "visibility": Choice(*get_args(Visibility)),
        },
        descriptions={
            "into": "The full path of a group or project, or a username.",
            "users": "So many people, members of the groups or of what this goes into.",
            "groups": "So many groups, at the top or in a group.",
            "projects": "So many projects, over the groups here or into a group or user.",
            "labels": "So many labels over the projects here, or else the groups, or into a project or group.",
            "milestones": "So many milestones over the projects here, or else the groups, or into a project or group.",
            "issues": "So many issues over the projects here, or into a project.",
            "commits": "So many commits over the projects here, or into a project, after what it declares.",
            "branches": "So many branches beside the default one, some of them merged.",
            "tags": "So many tags of commits of the default branch.",
            "merge_requests": "So many merge requests of the branches; more than there are branches are closed ones.",
            "visibility": "Of groups and projects; otherwise it varies.",
        },
    ),
    make=_make,
    tell=_tell,
)
