"""Helm charts: uploads to a channel, and the index that helm installs from. Source: docs/platform/packages.md."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.packages import digests, packages, protection_rules, semver
from fakeplat.domain.packages.packed_files import UnreadableFile, find_in_tar, read_gzip
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import HELM_CHARTS_ARE_PROTECTED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

_TEMPORARY_NAME: Final = "Helm.Temporary.Package"
_UPLOADED_NAME: Final = "package.tgz"
"""The names of a package whose chart could not be read, and of its file."""
_MAX_CHART_FILE: Final = 1024 * 1024
_CHANNEL: Final = re.compile(r"(?:[a-zA-Z0-9][._-]?){1,255}(?<![._-])")
_REQUIRED: Final = ("name", "version", "apiVersion")
_TEXTS: Final = ("name", "version", "apiVersion", "home", "description", "icon", "condition", "tags", "appVersion")


def is_channel(text: str) -> bool:
    """Return whether a text is a valid name of a channel, and of a chart."""
    return _CHANNEL.fullmatch(text) is not None


def upload(ctx: WriteContext, project: Project, channel: str, content: bytes) -> PackageFile:
    """Add a chart to a channel. One that cannot be read, or is protected, becomes a package with an error."""
    packages.check_size(ctx, ctx.world.settings.helm_max_file_size, content)
    try:
        chart = read_chart(content)
    except UnreadableFile:
        return _keep_unreadable(ctx, project, content)
    name, version = chart["name"], chart["version"]
    if ctx.profile.has(HELM_CHARTS_ARE_PROTECTED) and protection_rules.is_protected(ctx, project, "helm", name, "push"):
        return _keep_unreadable(ctx, project, content)
    package = packages.get_or_create(ctx, project, "helm", name, version)
    metadata = {"channel": channel, "chart": chart}
    return packages.add_file(ctx, package, f"{name}-{version}.tgz", content, metadata=metadata, **_digests(content))


def _digests(content: bytes) -> dict[str, Any]:
    return digests.compute(content)._asdict()


def _keep_unreadable(ctx: WriteContext, project: Project, content: bytes) -> PackageFile:
    version = f"0.0.{ctx.random_uuid('helm')}"
    package = packages.create(ctx, project, "helm", _TEMPORARY_NAME, version, status="error")
    return packages.add_file(ctx, package, _UPLOADED_NAME, content, **_digests(content))


def read_chart(content: bytes) -> dict[str, Any]:
    """Return the ``Chart.yaml`` of a packed chart; UnreadableFile if it is missing or invalid."""
    from fakeplat.ci_config import documents

    data = find_in_tar(read_gzip(content), "/Chart.yaml", _MAX_CHART_FILE)
    if data is None:
        raise UnreadableFile("Chart.yaml not found within a directory")
    try:
        chart: dict[Any, Any] = documents.parse_mapping(data.decode(), has_references=False)
    except ValueError as error:
        raise UnreadableFile(f"Error while parsing Chart.yaml: {error}") from None
    _check(chart)
    return chart


def _check(chart: Mapping[Any, Any]) -> None:
    wrong = [name for name in _REQUIRED if name not in chart]
    wrong += [str(name) for name, value in chart.items() if not _is_valid(name, value)]
    if wrong:
        raise UnreadableFile(f"invalid in Chart.yaml: {', '.join(wrong)}")


def _is_valid(name: object, value: object) -> bool:
    """Return whether a field of a chart is known and has the right type."""
    if name in _TEXTS or name == "kubeVersion":
        return isinstance(value, str) and _has_format(name, value)
    if name in ("sources", "keywords"):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if name == "maintainers":
        return isinstance(value, list) and all(map(_is_maintainer, value))
    if name == "dependencies":
        return isinstance(value, list) and all(map(_is_dependency, value))
    if name == "annotations":
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    if name == "deprecated":
        return isinstance(value, bool)
    return name == "type" and value in ("application", "library")


def _has_format(name: object, value: str) -> bool:
    if name == "name":
        return is_channel(value)
    return name != "version" or semver.is_version(value.removeprefix("v"))


def _is_maintainer(value: object) -> bool:
    names = ("name", "email", "url")
    return isinstance(value, dict) and all(key in names and isinstance(text, str) for key, text in value.items())


def _is_dependency(value: object) -> bool:
    texts, lists = ("name", "version", "repository", "condition", "alias"), ("tags", "import-values")
    return isinstance(value, dict) and not any(
        (key in texts and not isinstance(item, str))
        or (key in lists and not isinstance(item, list))
        or (key == "enabled" and not isinstance(item, bool))
        for key, item in value.items()
    )


def get_file(world: World, project: Project, channel: str, file_name: str) -> PackageFile:
    """Return the newest file with a name in a channel, or refuse with 404."""
    files = [file for _, file in _list_files(world, project, channel) if file.file_name == file_name]
    if not files:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no chart {file_name} in {channel}")
    return max(files, key=lambda file: (file.created_at, file.id))


def _list_files(world: World, project: Project, channel: str) -> list[tuple[Package, PackageFile]]:
    return [
        (package, file)
        for package in world.packages.where("project", project.id)
        if package.package_type == "helm" and package.status != "error"
        for file in packages.list_files(world, package)
        if file.metadata.get("channel") == channel
    ]


def list_entries(ctx: ReadContext, project: Project, channel: str) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the entries of a channel's index, by the name of the chart: the newest file of each version."""
    newest: dict[int, PackageFile] = {}
    for package, file in _list_files(ctx.world, project, channel):
        newest[package.id] = file
    entries: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    limit = ctx.world.settings.helm_max_packages_count
    for package_id in sorted(newest)[-limit:]:
        file = newest[package_id]
        chart = file.metadata["chart"]
        entries[chart["name"]].append(_describe(chart, file))
    return dict(entries)


def _describe(chart: Mapping[str, Any], file: PackageFile) -> dict[str, Any]:
    from fakeplat.ci_config.document_writing import Quoted

    # Other readers than Ruby's take a version such as 4852e000 for a number.
    version = {"appVersion": Quoted(chart["appVersion"])} if "appVersion" in chart else {}
    return {
        **chart,
        **version,
        "created": to_nanoseconds(file.created_at),
        "digest": file.file_sha256,
        "urls": [f"charts/{file.file_name}"],
    }


def to_nanoseconds(time: str) -> str:
    """Return a time in the form of Go, with nine digits after the second."""
    whole, _, fraction = time.removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<9}Z"
