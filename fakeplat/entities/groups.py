"""A group by itself, with what is in it. Source: docs/platform/specification.md ('Group'), docs/platform/groups.md."""

from fakeplat.core.operations.entity import attr, shown, shown_when
from fakeplat.domain.projects import shares
from fakeplat.entities.namespaces import GroupView, SharedWith
from fakeplat.entities.projects import ADMINISTERED, ProjectView
from fakeplat.policy.features import has
from fakeplat.policy.rulings import sees

MOST_PROJECTS = 100


class GroupDetail(GroupView):
    """A group with its shares and projects."""

    @shown
    def shared_with_groups(self) -> list[SharedWith]:
        return [self.cx.show(SharedWith, share) for share in shares.of(self.cx.world, self.record)]

    runners_token = attr(str, when=lambda view: ADMINISTERED in view.options)

    @shown_when(lambda view: has(view.cx.world, "premium", view.record))
    def prevent_forking_outside_group(self) -> bool | None:
        return None

    shared_runners_minutes_limit = attr(int | None, when=lambda view: has(view.cx.world, "premium", view.record))
    extra_shared_runners_minutes_limit = attr(int | None, when=lambda view: has(view.cx.world, "premium", view.record))

    @shown
    def projects(self) -> list[ProjectView]:
        found = self.cx.world.projects.where("namespace", self.record.id).backwards()
        return [self.cx.show(ProjectView, project) for project in found if sees(self.cx, project)][:MOST_PROJECTS]

    @shown
    def shared_projects(self) -> list[ProjectView]:
        found = [
            self.cx.world.projects[share.source[1]]
            for share in self.cx.world.shares.where("group", self.record.id)
            if share.source[0] == "project"
        ]
        return [self.cx.show(ProjectView, project) for project in found if sees(self.cx, project)][:MOST_PROJECTS]
