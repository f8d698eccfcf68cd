"""The list `generate`: how many random records to generate, and where.

Users become members of the generated groups, or of the container ``into``. Groups are generated at the top level or in
a group; projects in the generated groups, otherwise in a group or for a user. Labels and milestones are distributed
over the generated projects, otherwise over the generated groups, otherwise they belong to the container. Issues,
commits with branches and tags, merge requests of these branches, pipelines, releases, packages and container
repositories belong to the generated projects, otherwise to a project, or to those of a group (with its subgroups) or
user. Clusters are distributed like labels.
"""

from typing import Final, get_args

from fakeplat.core.schema.shapes import TEXT, Choice, Integer, Object
from fakeplat.model.people import Visibility
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import GENERATED, SCENARIO, Section

# More would take hours, and all of the memory.
_COUNT: Final = Integer(minimum=0, maximum=1_000_000)


def _create(entry: Entry) -> None:
    from fakeplat.scenario.generating.generation import Generation

    Generation(entry).run()


def _export(_world: World, _owner: None) -> None:
    """Export nothing; generated records are exported like all others."""


SECTION: Final = Section(
    "generate",
    within=(SCENARIO,),
    rank=GENERATED,
    keys=Object(
        {
            "into": TEXT,
            "users": _COUNT,
            "groups": _COUNT,
            "projects": _COUNT,
            "labels": _COUNT,
            "milestones": _COUNT,
            "issues": _COUNT,
            "commits": _COUNT,
            "branches": _COUNT,
            "tags": _COUNT,
            "merge_requests": _COUNT,
            "pipelines": _COUNT,
            "releases": _COUNT,
            "packages": _COUNT,
            "container_repositories": _COUNT,
            "clusters": _COUNT,
            "visibility": Choice(*get_args(Visibility)),
        },
        descriptions={
            "into": "Full path of a group or project, or a username: the container of the generated records.",
            "users": "Number of users; they become members of the generated groups or of the container.",
            "groups": "Number of groups, at the top level or in a group.",
            "projects": "Number of projects, in the generated groups, or in a group or user.",
            "labels": "Number of labels, in the generated projects or groups, or in the container.",
            "milestones": "Number of milestones, in the generated projects or groups, or in the container.",
            "issues": "Number of issues, in the generated projects or in a project.",
            "commits": "Number of commits, in the generated projects or in a project, after its declared commits.",
            "branches": "Number of branches besides the default one; some of them are merged.",
            "tags": "Number of tags, on commits of the default branch.",
            "merge_requests": "Number of merge requests of the branches; those in excess of the branches are closed.",
            "pipelines": "Number of pipelines with jobs, for commits of branches, tags and merge requests.",
            "releases": "Number of releases of tags; those in excess of the tags are of tags that were deleted.",
            "packages": "Number of versions of npm, PyPI, Maven and generic packages, each with a file.",
            "container_repositories": "Number of image repositories, each with tags.",
            "clusters": "Number of clusters of the generated projects or groups, or of the container.",
            "visibility": "Visibility of groups and projects. Default: random.",
        },
    ),
    create=_create,
    export=_export,
)
