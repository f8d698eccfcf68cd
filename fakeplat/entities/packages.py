"""Views of packages, their files and tags. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.packages import packages
from fakeplat.entities import urls
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.packages import DebianDistribution, Package, PackageFile, PackageTag
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import (
    PACKAGES_HIDE_PIPELINES,
    PACKAGES_WITH_ERRORS_HAVE_NO_PAGE,
    PIPELINES_OF_PACKAGES_ARE_EMPTY,
    TERRAFORM_MODULE_PAGES,
)
from fakeplat.policy.context import ReadContext


class PackageTagView(Entity[PackageTag]):
    """A tag of an npm package."""

    id = attr()
    package_id = attr()
    name = attr()
    created_at = attr()
    updated_at = attr()


class DebianDistributionView(Entity[DebianDistribution]):
    """A Debian distribution of a project or group."""

    id = attr()
    codename = attr()
    suite = attr()
    origin = attr()
    label = attr()
    version = attr()
    description = attr()
    valid_time_duration_seconds = attr()

    @computed
    def components(self) -> list[str]:
        return sorted(self.record.components)

    @computed
    def architectures(self) -> list[str]:
        return sorted(self.record.architectures)


class PackagePipeline(PipelineBasic):
    """The pipeline that published a package, with its user."""

    @computed
    def user(self) -> UserBasic | None:
        id_ = self.record.user_id
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return user


def _shows_pipelines(ctx: ReadContext, package: Package) -> bool:
    """Return whether the caller may see the pipelines of a package, which matters in later releases."""
    project = ctx.world.projects[package.project_id]
    return not ctx.profile.has(PACKAGES_HIDE_PIPELINES) or can(ctx, Ability.READ_PIPELINE, project)


class _WithPipeline(Entity[Package]):
    ctx: ReadContext

    @property
    def _has_pipeline(self) -> bool:
        return self.record.pipeline_id is not None and _shows_pipelines(self.ctx, self.record)

    def _render_pipeline(self) -> Any:
        id_ = self.record.pipeline_id
        return self.ctx.render(PackagePipeline, self.ctx.world.pipelines[id_]) if id_ is not None else None

    def _render_pipelines(self) -> list[Any]:
        if self.ctx.profile.has(PIPELINES_OF_PACKAGES_ARE_EMPTY):
            return []
        found = packages.list_pipelines(self.ctx.world, self.record)
        return [self.ctx.render(PackagePipeline, pipeline) for pipeline in found]

    def _render_tags(self) -> list[Any]:
        return [self.ctx.render(PackageTagView, tag) for tag in packages.list_tags(self.ctx.world, self.record)]


class PackageVersion(_WithPipeline):
    """Another version of a package."""

    id = attr()
    version = attr()
    created_at = attr()

    @computed
    def tags(self) -> list[PackageTagView]:
        return self._render_tags()

    @computed_if(when=lambda view: view._has_pipeline)
    def pipeline(self) -> PackagePipeline:
        pipeline: PackagePipeline = self._render_pipeline()
        return pipeline

    @computed_if(since="13.6", when=lambda view: view._has_pipeline)
    def pipelines(self) -> list[PackagePipeline]:
        # Since the list has an operation of its own, the field is empty.
        return self._render_pipelines()


class PackageView(_WithPipeline):
    """A package in a list of its project."""

    id = attr()
    name = attr("full_name")

    @computed_if(when=lambda view: view.record.package_type == "conan")
    def conan_package_name(self) -> str:
        return self.record.name

    version = attr()
    package_type = attr()
    status = attr(since="13.9")

    @computed
    def _links(self) -> dict[str, str]:
        project = self.ctx.world.projects[self.record.project_id]
        is_module = self.record.package_type == "terraform_module"
        page = self.ctx.profile.choose(TERRAFORM_MODULE_PAGES) if is_module else "packages"
        has_page = self.record.status == "default" or not self.ctx.profile.has(PACKAGES_WITH_ERRORS_HAVE_NO_PAGE)
        web_path = f"/{urls.project_path(self.ctx, project)}/-/{page}/{self.record.id}"
        api_path = urls.api_url(self.ctx, f"projects/{project.id}/packages/{self.record.id}")
        may_delete = can(self.ctx, Ability.DESTROY_PACKAGE, project)
        links = {"web_path": web_path} if has_page else {}
        return {**links, **({"delete_api_path": api_path} if may_delete else {})}

    created_at = attr()
    last_downloaded_at = attr(since="<=15.8")
    creator_id = attr(since="<=18.11")

    @computed
    def tags(self) -> list[PackageTagView]:
        return self._render_tags()

    @computed_if(when=lambda view: view._has_pipeline)
    def pipeline(self) -> PackagePipeline:
        pipeline: PackagePipeline = self._render_pipeline()
        return pipeline

    @computed_if(since="13.6", when=lambda view: view._has_pipeline)
    def pipelines(self) -> list[PackagePipeline]:
        # Since the list has an operation of its own, the field is empty.
        return self._render_pipelines()

    @computed_if(when=lambda view: view._has_pipeline)
    def build_info(self) -> PackagePipeline:
        # The deprecated name of ``pipeline``.
        pipeline: PackagePipeline = self._render_pipeline()
        return pipeline


class GroupPackageView(PackageView):
    """A package in a list of a group."""

    project_id = attr()

    @computed_if(when=lambda view: can_see(view.ctx, view.ctx.world.projects[view.record.project_id]))
    def project_path(self) -> str:
        return urls.project_path(self.ctx, self.ctx.world.projects[self.record.project_id])


class PackageDetail(PackageView):
    """A single package."""

    @computed
    def versions(self) -> list[PackageVersion]:
        versions = packages.list_other_versions(self.ctx.world, self.record)
        return [self.ctx.render(PackageVersion, version) for version in versions]


class PublishedPackage(Entity[Package]):
    """A package as the answer to npm's publishing shows it."""

    id = attr()
    project_id = attr()
    created_at = attr()
    updated_at = attr()
    name = attr()
    version = attr()
    package_type = attr()


class DeletedPackage(PublishedPackage):
    """A package as the answer to its deletion by Conan shows it."""

    creator_id = attr()
    status = attr(since="13.9")


class PackageFileRecord(Entity[PackageFile]):
    """A file of a package as the answer to its upload by Conan shows it: with the columns of the platform's record."""

    ctx: ReadContext

    id = attr()
    package_id = attr()
    created_at = attr()
    updated_at = attr()
    size = attr()
    file_store = constant(1, int)
    file_md5 = attr()
    file_sha1 = attr()
    file_name = attr()

    @computed
    def file(self) -> dict[str, str]:
        # Files are stored below the digest of the project's id.
        file = self.record
        project_id = self.ctx.world.packages[file.package_id].project_id
        digest = sha256(str(project_id).encode()).hexdigest()
        folder = f"/{digest[:2]}/{digest[2:4]}/{digest}/packages/{file.package_id}/files/{file.id}"
        return {"url": f"{folder}/{file.file_name}"}

    file_sha256 = attr()


class PackageFileView(Entity[PackageFile]):
    """A file of a package."""

    ctx: ReadContext

    id = attr()
    package_id = attr()
    created_at = attr()
    file_name = attr()
    size = attr()
    file_md5 = attr()
    file_sha1 = attr()
    file_sha256 = attr(since="13.9")

    @computed_if(since="<=15.7", when=lambda view: view._has_pipeline)
    def pipelines(self) -> list[PackagePipeline]:
        id_ = self.record.pipeline_id
        return [] if id_ is None else [self.ctx.render(PackagePipeline, self.ctx.world.pipelines[id_])]

    @property
    def _has_pipeline(self) -> bool:
        package = self.ctx.world.packages[self.record.package_id]
        return self.record.pipeline_id is not None and _shows_pipelines(self.ctx, package)
