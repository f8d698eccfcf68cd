"""Cached responses are never shown to another caller: each GET operation, requested by one caller after the other."""

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, Final
from urllib.parse import quote

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.core.timestamps import HOUR
from fakeplat.domain.packages import debian_indexes
from fakeplat.domain.people.members import container_of
from fakeplat.model.packages import DebianDistribution
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.platform import Platform
from tests.api.full_world import FULL
from tests.api.test_everywhere import build_required_query
from tests.scenario.answers import ANONYMOUS, token_of, use_tokens
from tests.scenario.worlds import create_platform, write

CALLERS = (ANONYMOUS, "eve", "gus", "dev", "ada", "root")
WORLD: dict[str, Any] = {
    **FULL,
    "instance": {
        "tier": "ultimate",
        "version": "latest",
        "default_branch": "master",
        "web_commits_public_key": "ssh-ed25519 AAAA",
    },
    "settings": {**FULL["settings"], "bulk_import_enabled": True, "elasticsearch_indexing": True},
}
OPTIONS = "with_custom_attributes=true&statistics=true&with_counts=true&with_labels_details=true&scope=all"
BADGE = "link_url=https://x.test&image_url=https://x.test/i.svg"
SEARCH = "scope=issues&search=e"
ACTIVITY = "group_path=acme"
QUERIES = {
    "get_group_activity_issues_count": ACTIVITY,
    "get_group_activity_merge_requests_count": ACTIVITY,
    "get_group_activity_new_members_count": ACTIVITY,
    "list_code_review_analytics": "project_id=5001",
    "get_project_dora_metrics": "metric=deployment_frequency",
    "get_group_dora_metrics": "metric=deployment_frequency",
    "get_analytics_deployment_frequency": "environment=production&from=2020-11-01",
    "render_project_badge": BADGE,
    "render_group_badge": BADGE,
    "get_repository_merge_base": "refs[]=master&refs[]=feature",
    # Otherwise the scope of the options is refused.
    "list_feature_flags": "scope=enabled",
    # Their ``scope`` has other values.
    "list_pipelines": "",
    "list_pipeline_jobs": "",
    "list_pipeline_bridges": "",
    "list_pipeline_trigger_jobs": "",
    "list_pipeline_schedule_pipelines": "",
    "list_jobs": "",
    "download_runner_job_artifacts": "token=token-of-a-job",
    "get_key_by_fingerprint": "fingerprint=SHA256:bQ3uEFJTPckJ1JzsLkBNHPGl8tVBQoS/1mH/%2BN3PScA",
    "search_instance": SEARCH,
    "search_group": SEARCH,
    "search_project": SEARCH,
    "search_group_alias": SEARCH,
    "search_project_alias": SEARCH,
    "download_ref_artifacts": "job=build",
    "download_ref_artifact_file": "job=build",
    "list_pipeline_schedules": "scope=active",
    "list_runners": "scope=active",
    "list_all_runners": "scope=active",
    "list_project_runners": "scope=active",
    "get_unleash": "instance_id=site-instance-id",
    "get_repository_health": "generate=true",
    "list_unleash_features": "instance_id=site-instance-id&app_name=production",
    "list_unleash_client_features": "instance_id=site-instance-id&app_name=production",
    "download_project_export_relation": "relation=labels",
    "download_group_export_relation": "relation=labels",
    "get_merge_train": "scope=active",
    "list_discover_cert_based_clusters": "group_id=210",
    "get_repository_changelog": "version=1.0.0&from=feature",
    "list_merge_trains": "scope=active",
    "download_composer_archive": "sha=feature",
    "get_package_nuget_find_packages_by_id": "id='Acme.Tool'",
    "list_project_package_nuget_packages": "$filter=tolower(Id)%20eq%20'acme.tool'",
}
TOKEN_ONLY: Final = {"get_current_job", "list_job_allowed_agents", "download_runner_job_artifacts"}
"""What answers to the token of a job only."""
WITHOUT_PLACE: Final = {
    "list_admin_zoekt_shard_indexed_namespaces",  # There are no nodes.
    "list_namespace_storage_limit_exclusions",  # Only the hosted offering has them.
    "list_offline_exports",  # Their feature is off, and they need a storage.
    "get_offline_export",
    "get_mcp",  # The server sends nothing.
    "get_ssh_user",  # sessions over SSH only
    "get_commit_signature",
    "get_repository_tag_signature",
    "list_user_project_deploy_keys",
    "get_runner_router_discovery",
    "get_go_module_version",
    "list_experiments",
    "list_group_member_roles",
    "list_group_manage_personal_access_tokens",
    "list_group_manage_resource_access_tokens",
    "list_group_manage_ssh_keys",
    "download_debian_package_file",
    "download_group_debian_package_file",
    "get_package_rpm",
    "get_package_rpm_repodata",
    "get_package_nuget_symbolfile",
    "get_group_package_nuget_symbolfile",
    "get_package_rubygem",
    "get_package_rubygem_quick_marshal_4_8",
    "get_package_rubygem_gem",
    "list_package_rubygem_dependencies",
    "get_package_cargo_config_json",
    "get_package_cargo_index_1",
    "get_package_cargo_index_2",
    "get_package_cargo_index_3",
    "get_package_cargo_index",
    "get_package_cargo_download",
    "get_dependency_proxy_package_maven",
    "get_dependency_proxy_package_npm",
}
"""What has nothing to show: what scenarios commit is not signed, the administrator maintains no project, there is no
job router, the repository has no Go module, and experiments, the roles of groups and their inventory of credentials are
those of the hosted offering. Symbol files need a header, and the features of gems and of Cargo are off. The pool of
Debian packages was another one before 14.2, and that of RPM is not finished. Dependency proxies of packages are off."""
GETS: Final = [
    operation
    for operation in OPERATIONS
    if operation.method == "GET"
    and operation.area.prefix == PREFIX
    and operation.name not in TOKEN_ONLY | WITHOUT_PLACE
    # The world is one of the latest release.
    and not operation.until
]
PLACES: Final = 2
"""How many places of an operation are asked about: the first of those that an administrator sees."""

REFS = ("master", "feature")
NAMED: dict[str, tuple[str, ...]] = {
    "projects": ("acme/site", "kept/fork", "5001"),
    "unleash": ("acme/site", "5001"),
    "ldap": ("ldapmain",),
    "groups": ("acme", "kept"),
    "group": ("acme",),
    "p": ("0",),
    "branches": REFS,
    "merge_trains": REFS,
    "commits": REFS,
    "files": (
        "README.md",
        "master",
        "ba59926159d2aa256eb8739b8da7e2b574b960e1202c6d624cbe981cef996c91",
        "hello",
        "conanfile.py",
        "conaninfo.txt",
    ),
    "generic": ("app",),
    "v1": ("acme",),
    ":module_namespace": ("network",),
    "modules": ("network",),
    ":module_name": ("aws",),
    ":module_system": ("1.0.0",),
    "go": ("localhost/acme/site",),
    "conans": ("hello",),
    ":package_name": ("1.0.0", "0.1", "1.0-1"),
    ":package_version": ("app.txt", "acme+site", "hello_1.0-1_amd64.deb", "docs"),
    ":package_username": ("stable",),
    ":package_channel": ("0",),
    "revisions": ("a" * 32,),
    "export": ("conanfile.py",),
    ":conan_package_reference": ("0",),
    ":package_revision": ("conaninfo.txt",),
    "debian_distributions": ("sid",),
    "dists": ("sid",),
    "pool": ("sid",),
    "*distribution": ("main",),
    ":component": ("binary-amd64",),
    "debian-installer": ("binary-amd64",),
    ":distribution": ("h", "5001"),
    ":project_id": ("h",),
    ":letter": ("hello",),
    "composer": ("acme/lib$0",),
    "p2": ("acme/lib",),
    "archives": ("acme/lib",),
    "helm": ("stable",),
    "charts": ("web-1.0.0.tgz",),
    "npm": ("@acme/site",),
    "package": ("@acme/site", "abc"),
    "-": ("@acme/site-1.0.0.tgz",),
    "simple": ("site",),
    ":sha256": ("site-1.0-py3-none-any.whl",),
    "maven": ("acme/site/1.0",),
    "*path": ("site-1.0.jar",),
    ":ref": ("x",),
    "tags": ("v1.0", "v1"),
    "labels": ("bug", "urgent"),
    "protected_branches": ("v*", *REFS),
    "protected_environments": ("production", "staging"),
    "protected_tags": ("v*",),
    "custom_attributes": ("team",),
    "feature_flags": ("old", "new"),
    "feature_flags_user_lists": ("1",),
    "services": ("alerts", "slack"),
    "integrations": ("alerts", "slack", "external-wiki"),
    "variables": ("TOKEN", "MODE"),
    "resource_groups": ("production",),
    "artifacts": ("a.txt", "feature"),
    "raw": ("a.txt",),
    "releases": ("v1.0",),
    "downloads": ("a",),
    "saml": ("1",),
    "subscription_add_on_purchase": ("code_suggestions",),
    "scim": ("1",),
    "gitignores": ("Ruby",),
    "dockerfiles": ("Binary",),
    "gitlab_ci_ymls": ("Android",),
    "licenses": ("mit",),
    "templates": ("licenses",),
    ":type": ("mit",),
    "project_aliases": ("site",),
    "attestations": ("ab" * 32, "1"),
    "migrations": ("20230426195404",),
    "domains": ("www.site.test",),
    "wikis": ("home",),
    "alert_management_alerts": ("1",),
    "state": ("staging",),
    "blobs": ("61d036d86b3835de0cc7b199e5ece1a0a4be3e45",),
    "projects of nuget": ("5001",),
    "metadata of nuget": ("Acme.Tool",),
    "download of nuget": ("Acme.Tool",),
    ":package_name of nuget": ("1.0.0",),
    ":package_version of nuget": ("acme.tool.1.0.0.nupkg",),
    "v2 of nuget": ("Packages(Id='Acme.Tool',Version='1.0.0')",),
}
TABLES: dict[str, str] = {
    "rules": "package_protection_rules",
    "state_protection_rules": "terraform_state_protection_rules",
    "approval_rules": "approval_rules",
    "blocks": "merge_request_blocks",
    "draft_notes": "draft_notes",
    "users": "users",
    "billable_members": "users",
    "enterprise_users": "users",
    **dict.fromkeys(
        (
            "repository_storage_moves",
            "project_repository_storage_moves",
            "group_repository_storage_moves",
            "snippet_repository_storage_moves",
        ),
        "storage_moves",
    ),
    "remote_mirrors": "remote_mirrors",
    "members": "users",
    "service_accounts": "users",
    "all": "users",
    "namespaces": "namespaces",
    "boards": "boards",
    "epic_boards": "epic_boards",
    "badges": "badges",
    "topics": "topics",
    "broadcast_messages": "broadcast_messages",
    "batched_background_migrations": "batched_migrations",
    "license": "instance_licenses",
    "member_roles": "member_roles",
    "triggers": "triggers",
    "pipeline_schedules": "pipeline_schedules",
    "runners": "runners",
    "bulk_imports": "bulk_imports",
    # None exists, so any number does.
    "offline_exports": "bulk_imports",
    "entities": "bulk_import_entities",
    "dependency_list_exports": "dependency_list_exports",
    "runner_controllers": "runner_controllers",
    "deploy_keys": "deploy_keys",
    "hooks": "hooks",
    "keys": "ssh_keys",
    "gpg_keys": "gpg_keys",
    "emails": "emails",
    "impersonation_tokens": "tokens",
    "personal_access_tokens": "tokens",
    "access_tokens": "tokens",
    "deploy_tokens": "deploy_tokens",
    "freeze_periods": "freeze_periods",
    "secure_files": "secure_files",
    "cluster_agents": "cluster_agents",
    "url_configurations": "agent_url_configurations",
    "package_files": "package_files",
    "clusters": "clusters",
    "audit_events": "audit_events",
    "repositories": "container_repositories",
    "milestones": "milestones",
    "pipelines": "pipelines",
    "jobs": "jobs",
    "snippets": "snippets",
    "notes": "notes",
    "wiki_pages": "wiki_page_metas",
    "award_emoji": "awards",
    "environments": "environments",
    "deployments": "deployments",
    "resource_label_events": "label_events",
    "resource_milestone_events": "milestone_events",
    "resource_state_events": "state_events",
    "resource_weight_events": "weight_events",
    "resource_iteration_events": "iteration_events",
}


def digests_of(world: World, distribution: DebianDistribution) -> Iterator[str]:
    """The digests of the indexes of a Debian distribution."""
    container = container_of(world, distribution.source)
    assert isinstance(container, Project | Group)
    release = debian_indexes.build_release(world, container, distribution)
    yield from (line.split()[0] for line in release.partition("SHA256:\n")[2].splitlines() if line.split()[1] != "0")


WORKED_OUT: dict[str, Callable[[World], list[Any]]] = {
    "groups of nuget": lambda world: [group.id for group in world.namespaces.all() if group.path == "acme"],
    "lists": lambda world: [row.id for table in (world.board_lists, world.epic_board_lists) for row in table.all()],
    "tokens": lambda world: [
        row.id for table in (world.runner_controller_tokens, world.cluster_agent_tokens) for row in table.all()
    ],
    "links": lambda world: [link.id for table in (world.release_links, world.issue_links) for link in table.all()],
    "packages": lambda world: [
        *(package.id for package in world.packages.all()),
        *(file.conan_package_reference for file in world.package_files.all() if file.conan_package_reference),
    ],
    "uploads": lambda world: [key for file in world.files.all() for key in (file.id, file.secret)],
    ":secret": lambda world: [file.filename for file in world.files.all()],
    "SHA256": lambda world: [
        digest for distribution in world.debian_distributions.all() for digest in digests_of(world, distribution)
    ],
    "saml_group_links": lambda world: [link.name for link in world.saml_group_links.all()],
    "epics": lambda world: [2, 1, *(epic.id for epic in world.epics.all())],
    "issues": lambda world: [9, 1, *(issue.id for issue in world.issues.all())],
    "merge_requests": lambda world: [9, 1],
    "versions": lambda world: [*(version.id for version in world.diff_versions.all()), 1],
    "discussions": lambda world: [note.discussion_id for note in world.notes.all()],
}


@pytest.fixture(scope="module")
def settled() -> Platform:
    """A full world in which everything that reading sets going has been done."""
    platform = create_platform(WORLD)
    add_records(platform)
    for operation in GETS:
        list(list_paths(platform, operation))
    # Not settled: memberships end years from now, and schedules would run every day until then.
    platform.advance(HOUR)
    use_tokens(platform, CALLERS)
    return platform


def add_records(platform: Platform) -> None:
    """Add what scenarios do not say: the history of a merge request, awards of notes that are not of issues."""
    world, root, site = platform.view, token_of(platform.view, "root") or "", "projects/acme%2Fsite"
    milestone = next(milestone for milestone in world.milestones.all() if milestone.title == "v1.1")
    write(platform, "PUT", f"{site}/merge_requests/9", root, labels="urgent", milestone_id=0)
    write(platform, "PUT", f"{site}/merge_requests/9", root, milestone_id=milestone.id)
    merge_request = next(
        merge_request
        for merge_request in world.merge_requests.all()
        if (merge_request.project_id, merge_request.iid) == (5001, 9)
    )
    snippet = next(snippet for snippet in world.snippets.all() if snippet.project_id == 5001)
    for subject, path in (
        (("merge_request", merge_request.id), f"{site}/merge_requests/9"),
        (("snippet", snippet.id), f"{site}/snippets/{snippet.id}"),
    ):
        note = world.notes.where("subject", subject)[0]
        write(platform, "POST", f"{path}/notes/{note.id}/award_emoji", root, name="tada")
    write(platform, "PUT", f"{site}/packages/generic/app/1.0.0/app.txt/site-1.0.jar", root)
    write(platform, "POST", f"snippets/{snippet.id}/repository_storage_moves", root)
    write(platform, "POST", "features/go_proxy", root, value="true")
    write(platform, "POST", "features/protected_terraform_states", root, value="true")
    write(platform, "POST", "features/project_repositories_health", root, value="true")
    newcomer = world.users.find("username", "ext")
    write(platform, "POST", f"{site}/members", root, user_id=newcomer.id if newcomer else 0, access_level=20)


@pytest.fixture(scope="module")
def targets(settled: Platform) -> dict[str, list[str]]:
    """Return the paths of each operation by its name."""
    platform = copy_platform(settled)
    return {operation.name: list(list_paths(platform, operation)) for operation in GETS}


def copy_platform(platform: Platform) -> Platform:
    """A platform of the same records and clock that has kept nothing."""
    return Platform(platform.state, platform.clock)


def list_paths(platform: Platform, operation: Operation) -> Iterator[str]:
    """The paths of an operation that show something to an administrator."""
    parts = operation.path.split("/")
    choices = [
        list(list_segments(platform.view, find_key(parts, position))) if part.startswith((":", "*")) else [part]
        for position, part in enumerate(parts)
    ]
    paths = ("/".join(chosen) for chosen in product(*choices))
    return islice(
        (path for path in paths if send_request(platform, operation, path, "root")[0] == operation.status), PLACES
    )


def find_key(parts: list[str], position: int) -> str:
    """Return by what the values of a parameter are found: the part before it, of NuGet with that name."""
    return f"{parts[position - 1]} of nuget" if "nuget" in parts else parts[position - 1]


def list_segments(world: World, before: str) -> Iterator[str]:
    """Yield the values of a path's parameter behind a segment."""
    if before in TABLES:
        choices: Any = [record.id for record in getattr(world, TABLES[before]).all()]
    else:
        choices = WORKED_OUT[before](world) if before in WORKED_OUT else NAMED.get(before, REFS)
    return (quote(str(value), safe="") for value in dict.fromkeys(choices))


def send_request(platform: Platform, operation: Operation, path: str, caller: str) -> tuple[int, bytes, str | None]:
    """Status, body and tag of an answer."""
    token = token_of(platform.view, caller)
    query = QUERIES.get(operation.name, f"{build_required_query(operation)}{OPTIONS}")
    answer = platform.handle(Request("GET", path, query, {"private-token": token} if token else {}))
    return answer.status, answer.body, dict(answer.headers).get("ETag")


def test_every_read_has_a_path_that_answers(targets: dict[str, list[str]]) -> None:
    """A new GET operation is asked too: its path leads to a record of the full world."""
    assert [] == [name for name, paths in targets.items() if not paths]


@pytest.mark.parametrize("callers", [CALLERS, CALLERS[::-1]], ids=["from nobody", "from the administrator"])
def test_cached_responses_are_not_shown_to_other_callers(
    settled: Platform, targets: dict[str, list[str]], callers: tuple[str, ...]
) -> None:
    """Every caller gets the answer that a platform without cached responses gives."""
    shared, own = copy_platform(settled), {caller: copy_platform(settled) for caller in callers}
    wrong = [
        (operation.name, path, caller)
        for operation in GETS
        for path in targets[operation.name]
        for caller in callers
        if send_request(shared, operation, path, caller) != send_request(own[caller], operation, path, caller)
    ]
    assert [] == wrong
