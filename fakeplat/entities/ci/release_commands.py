"""The command with which a runner creates the release that the keyword ``release`` describes.

Source: docs/platform/runner-protocol.md. The commands are the platform's, the script around them is not.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from fakeplat.core.release import Profile
from fakeplat.policy.behaviours import (
    RELEASES_ARE_MADE_BY_GLAB,
    RELEASES_ARE_PUBLISHED,
    RELEASES_HAVE_ASSET_LINKS,
)

Description = Mapping[str, Any]
_FLAGS: Final = ("name", "description", "tag_name", "tag_message", "ref", "released_at")
_GLAB_FLAGS: Final = (
    ("name", "name"),
    ("experimental-notes-text-or-file", "description"),
    ("ref", "ref"),
    ("tag-message", "tag_message"),
    ("released-at", "released_at"),
)
_GLAB_VERSION: Final = "1.58.0"
_SCRIPT: Final = """\
installed="$(glab --version 2>/dev/null | grep -oE '[0-9]+[.][0-9]+[.][0-9]+' | head -n 1)"
if [ -n "$installed" ] && printf '%s\\n' "{version}" "$installed" | sort -C -V; then
  export GITLAB_HOST=$CI_SERVER_URL
  glab auth login --job-token $CI_JOB_TOKEN --hostname "$CI_SERVER_FQDN" --api-protocol $CI_SERVER_PROTOCOL
  {glab}
else
  {release_cli}
fi
"""


def build_script(profile: Profile, release: Description, *, is_published: bool) -> list[str]:
    """Return the script of the step that creates a release; ``is_published``: in the catalogue of components."""
    links = (release.get("assets") or {}).get("links") or []
    release_cli = _build_release_cli(release, links if profile.has(RELEASES_HAVE_ASSET_LINKS) else [])
    publishes = is_published and profile.has(RELEASES_ARE_PUBLISHED)
    if publishes:
        release_cli += " --catalog-publish"
    if not profile.has(RELEASES_ARE_MADE_BY_GLAB):
        return [release_cli]
    glab = _build_glab(release, links) + (" --publish-to-catalog" if publishes else "")
    return [_SCRIPT.format(version=_GLAB_VERSION, glab=glab, release_cli=release_cli)]


def _build_release_cli(release: Description, links: Sequence[Description]) -> str:
    flags = [f'--{flag.replace("_", "-")} "{release[flag]}"' for flag in _FLAGS if release.get(flag)]
    flags += [f'--milestone "{milestone}"' for milestone in release.get("milestones") or ()]
    flags += [f"--assets-link {_quote(link)}" for link in links]
    return " ".join(["release-cli create", *flags])


def _build_glab(release: Description, links: Sequence[Description]) -> str:
    given = {**release, "ref": release.get("ref") or "$CI_COMMIT_SHA"}
    flags = [f'glab release create -R $CI_PROJECT_PATH "{release["tag_name"]}"']
    if links:
        flags.append(f"--assets-links {_quote(links)}")
    if release.get("milestones"):
        flags.append(f'--milestone "{",".join(release["milestones"])}"')
    flags += [f'--{flag} "{given[name]}"' for flag, name in _GLAB_FLAGS if given.get(name)]
    return " ".join([*flags, "--no-update --no-close-milestone"])


def _quote(value: object) -> str:
    """Return a value as JSON within a text of the shell."""
    return orjson.dumps(orjson.dumps(value).decode()).decode()
