"""Conversion of what projects publish to scenario entries: releases, packages and images.

Files of packages have the contents that a crawler could download. The API does not show those of others, which get as
many zero bytes, with the digests that were shown. Images have the contents that a crawler could pull.
"""

from collections import Counter
from re import compile as pattern
from typing import Final

from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.image_puller import IMAGE_CONTENTS
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.export.pipelines import PipelineNumbers
from fakeplat.tape.export.subresources import (
    CONTENT,
    IMAGES,
    PACKAGE_FILES,
    PACKAGES,
    RELEASE_LINKS,
    RELEASES,
    TAGS,
)
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import IMAGE_REPOSITORY, PACKAGE, PROJECT, RELEASE

_RECIPE: Final = pattern(r"(?P<name>[^/]+)/[^/]+@(?P<user>[^/]*)/(?P<channel>[^/]*)")
_DOWNLOADS: Final = "/downloads"
_LINK_FIELDS: Final = ("name", "url", "link_type")
_FILE_FIELDS: Final = ("file_name", "size", CONTENT, "created_at", "file_md5", "file_sha1", "file_sha256")
_PACKAGE_TAG_FIELDS: Final = ("name", "created_at", "updated_at")
_IMAGE_TAG_FIELDS: Final = ("name", "digest", "revision", "created_at", "total_size")
Owner = tuple[object, ...]
"""The id and the path of a project."""


def to_scenario(observations: Observations, owner: Owner, numbers: PipelineNumbers, left_out: Counter[str]) -> Entry:
    """Return the releases, packages and image repositories of a project."""
    entries: Entry = {
        RELEASES: [
            _release(observations, owner, release, left_out)
            for release in observations.subresources_of(PROJECT, owner, RELEASES) or ()
            if _has_tag(release, left_out)
        ],
        PACKAGES: [
            _package(observations, owner, package, numbers, left_out)
            for package in _list_rows(observations, owner, PACKAGES)
        ],
        "container_repositories": [
            _image_repository(observations, owner, repository, left_out)
            for repository in _list_rows(observations, owner, IMAGES)
        ],
    }
    return {name: rows for name, rows in entries.items() if rows}


def _list_rows(observations: Observations, owner: Owner, name: str) -> list[Document]:
    """Return the rows of a project by id."""
    rows = observations.subresources_of(PROJECT, owner, name) or ()
    return sorted((row for row in rows if isinstance(row.get("id"), int)), key=_id)


def _id(document: Document) -> int:
    return int(document["id"])


def _parts(observations: Observations, owner: Owner, name: str, within: str) -> list[Document]:
    return observations.subresources_of(PROJECT, owner, name, within) or []


# Releases


def _has_tag(release: Document, left_out: Counter[str]) -> bool:
    """Whether a release shows its tag; who may not see the code is not told."""
    is_shown = isinstance(release.get("tag_name"), str)
    left_out["releases without their tag"] += not is_shown
    return is_shown


def _release(observations: Observations, owner: Owner, release: Document, left_out: Counter[str]) -> Entry:
    commit = next(iterate_objects(release.get("commit")), {}).get("id")
    assets = next(iterate_objects(release.get("assets")), {})
    shown = {link.get("id"): link for link in iterate_objects(assets.get("links") or [])}
    # Of a link that a list and the release show, the release has all fields that the list has.
    listed = {link.get("id"): link for link in _parts(observations, owner, RELEASE_LINKS, _within(release))}
    links = [link for link in ({**listed, **shown}).values() if isinstance(link.get("id"), int)]
    milestones = [milestone.get("title") for milestone in iterate_objects(release.get("milestones") or [])]
    evidences = [_evidence(row) for row in iterate_objects(release.get("evidences") or []) if row.get("summary")]
    left_out["evidence of releases"] += len(release.get("evidences") or ()) - len(evidences)
    return {
        "tag_name": release["tag_name"],
        **field_mapping.map_fields(RELEASE, release, left_out),
        **_present(
            sha=commit,
            author=username(release.get("author")),
            milestones=milestones,
            links=[_release_link(link) for link in sorted(links, key=_id)],
            evidences=evidences,
        ),
    }


def _within(release: Document) -> str:
    return f"{RELEASES}/{release['tag_name']}"


def _release_link(link: Document) -> Entry:
    # The permanent address is that of the release with the path of the link; without a path, that of the asset.
    direct, url = str(link.get("direct_asset_url") or ""), link.get("url")
    path = direct.partition(_DOWNLOADS)[2] if direct != url and "/-/releases/" in direct else None
    return {name: link[name] for name in _LINK_FIELDS if link.get(name)} | _present(filepath=path)


def _evidence(evidence: Document) -> Entry:
    return {"summary": evidence["summary"]} | _present(created_at=evidence.get("collected_at"))


# Packages


def _package(
    observations: Observations, owner: Owner, package: Document, numbers: PipelineNumbers, left_out: Counter[str]
) -> Entry:
    recipe = _RECIPE.fullmatch(str(package.get("name"))) if package.get("package_type") == "conan" else None
    conan = (
        {"name": recipe["name"], "conan_username": recipe["user"], "conan_channel": recipe["channel"]} if recipe else {}
    )
    files = _parts(observations, owner, PACKAGE_FILES, f"{PACKAGES}/{package['id']}")
    left_out["contents of package files, which are zero bytes instead"] += sum(CONTENT not in file for file in files)
    return {
        **field_mapping.map_fields(PACKAGE, {**package, **conan}, left_out),
        **_present(
            path=_maven_path(package),
            pipeline=numbers.number(package.get("pipeline")),
            files=[_package_file(file) for file in files],
            tags=[
                {name: tag[name] for name in _PACKAGE_TAG_FIELDS if tag.get(name)}
                for tag in iterate_objects(package.get("tags") or [])
            ],
        ),
    }


def _package_file(file: Document) -> Entry:
    missing = "size" if CONTENT in file else CONTENT
    return {name: file.get(name) for name in _FILE_FIELDS if name in file and name != missing}


def _maven_path(package: Document) -> str | None:
    if package.get("package_type") != "maven":
        return None
    return "/".join(str(part) for part in (package.get("name"), package.get("version")) if part)


# Images


def _image_repository(observations: Observations, owner: Owner, repository: Document, left_out: Counter[str]) -> Entry:
    shown = {tag.get("name"): tag for tag in iterate_objects(repository.get("tags") or [])}
    listed = {tag.get("name"): tag for tag in _parts(observations, owner, TAGS, f"{IMAGES}/{repository['id']}")}
    tags = [
        {name: tag.get(name) for name in _IMAGE_TAG_FIELDS if name in tag} for tag in ({**shown, **listed}).values()
    ]
    contents = repository.get(IMAGE_CONTENTS) or []
    pulled = {content.get("digest") for content in iterate_objects(contents)}
    left_out["contents of images, which cannot be pulled"] += sum(tag.get("digest") not in pulled for tag in tags)
    left_out["details of image tags"] += sum("digest" not in tag for tag in tags)
    return {
        **field_mapping.map_fields(IMAGE_REPOSITORY, repository, left_out),
        **_present(
            contents=contents, tags=[tag if "digest" in tag else tag["name"] for tag in tags if tag.get("name")]
        ),
    }


def _present(**values: object) -> Entry:
    return {name: value for name, value in values.items() if value}
