"""Clusters of projects, groups and the instance."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CERTIFICATE_CLUSTERS_ARE_DEPRECATED,
    CERTIFICATE_CLUSTERS_SERVE,
    CLUSTER_NAMESPACES_PER_ENVIRONMENT,
    CLUSTERS_ARE_SOUGHT_FIRST,
)
from tests.api.ci_files import commit_ci
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
)
from tests.api.test_runner_protocol import create_runner, request_job
from tests.by_release import by_release

pytestmark = STARTER_AT_NINE
SITE, ACME, INSTANCE = "projects/acme%2Fsite/clusters", "groups/acme/clusters", "admin/clusters"
OWNERS = {SITE: "mia", ACME: "mia", INSTANCE: "root"}
ADD = {SITE: f"{SITE}/user", ACME: f"{ACME}/user", INSTANCE: f"{INSTANCE}/add"}
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NOT_YOURS = invalid_record(
    management_project_id=["Project does not exist or you don't have permission to perform this action"]
)
NAMESPACE_TEXT = (
    "can contain only lowercase letters, digits, and '-'. Must start with a letter, and cannot end with '-'"
)
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
GCP = {"gcp_project_id": "our-project", "endpoint": "192.0.2.1"}


def build_body(platform: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    attributes = {"api_url": "https://k8s.example.com", "token": "very-secret", **(platform or {})}
    return {"name": "main", "platform_kubernetes_attributes": attributes, **fields}


def add_cluster(
    fake: Fakeplat, owner: str = SITE, platform: dict[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    reply = fake.as_user(OWNERS[owner]).post(ADD[owner], json=build_body(platform, **fields))
    assert 201 == reply.status, reply.json()
    return dict(reply.json())


def switch(fake: Fakeplat, *, on: bool = True) -> None:
    reply = fake.as_user("root").post("features/certificate_based_clusters", json={"value": on})
    assert 201 == reply.status


def test_a_cluster_of_a_project(fakeplat: Fakeplat) -> None:
    """A cluster requires a name, a URL and a token, which is never shown."""
    cluster = add_cluster(fakeplat)

    project = cluster.pop("project")
    expected = {
        "id": cluster["id"],
        "name": "main",
        "created_at": "2020-11-20T09:00:00.000Z",
        "domain": None,
        "provider_type": "user",
        "platform_type": "kubernetes",
        "environment_scope": "*",
        "cluster_type": "project_type",
        "user": cluster["user"],
        "platform_kubernetes": {
            "api_url": "https://k8s.example.com",
            "namespace": None,
            "authorization_type": "rbac",
            "ca_cert": None,
        },
        "management_project": None,
    }
    assert expected == cluster
    assert ("mia", "acme/site", "acme") == (
        cluster["user"]["username"],
        project["path_with_namespace"],
        project["namespace"]["full_path"],
    )
    assert [expected] == fakeplat.as_user("mia").get(SITE).json()
    assert {**expected, "project": project} == fakeplat.as_user("mia").get(f"{SITE}/{cluster['id']}").json()


def test_a_cluster_of_a_group_shows_the_group(fakeplat: Fakeplat) -> None:
    """A cluster of a group shows its group instead of a project."""
    cluster = add_cluster(fakeplat, ACME)
    assert ("group_type", ["id", "web_url", "name"], "Acme") == (
        cluster["cluster_type"],
        [*cluster["group"]],
        cluster["group"]["name"],
    )
    assert "project" not in cluster


def test_a_cluster_of_the_instance_has_no_owner(fakeplat: Fakeplat) -> None:
    """A cluster of the instance shows no owner, except for a null after a change."""
    cluster = add_cluster(fakeplat, INSTANCE)
    root = fakeplat.as_user("root")
    assert ("instance_type", False, False) == (cluster["cluster_type"], "project" in cluster, "group" in cluster)
    assert cluster == root.get(f"{INSTANCE}/{cluster['id']}").json()
    assert {**cluster, "name": "x", "project": None} == root.put(
        f"{INSTANCE}/{cluster['id']}", json={"name": "x"}
    ).json()


@pytest.mark.fakeplat(version="latest")
def test_newer_releases_show_more(fakeplat: Fakeplat) -> None:
    """Newer releases show more flags of clusters."""
    switch(fakeplat)
    reply = fakeplat.as_user("mia").post(ADD[SITE], json=build_body(managed=False, namespace_per_environment=False))
    flags = ("enabled", "managed", "namespace_per_environment")
    assert [True, False, False] == [reply.json()[flag] for flag in flags]
    assert "true" == reply.headers["Deprecation"]
    changed = fakeplat.as_user("mia").put(f"{SITE}/{reply.json()['id']}", json={"enabled": False})
    # The default of the last one applies to changes as well.
    assert [False, False, True] == [changed.json()[flag] for flag in flags]


@by_release(CERTIFICATE_CLUSTERS_ARE_DEPRECATED, "deprecation", {"14.4": None, "14.5": "true"})
def test_clusters_are_deprecated_later(fakeplat: Fakeplat, deprecation: str | None) -> None:
    """Responses with a cluster say from 14.5 on that it is deprecated."""
    reply = fakeplat.as_user("mia").post(ADD[SITE], json=build_body())
    assert deprecation == reply.headers.get("Deprecation")


@by_release(CLUSTER_NAMESPACES_PER_ENVIRONMENT, "is_reset", {"13.5": False, "13.6": True})
def test_a_change_resets_the_namespaces_of_environments(fakeplat: Fakeplat, is_reset: bool) -> None:
    """From 13.6 on, a change of a cluster sets namespace_per_environment unless it says otherwise."""
    id_ = add_cluster(fakeplat)["id"]
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.clusters.change(ctx.world.clusters[id_], namespace_per_environment=False)
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/{id_}", json={"name": "x"}).status
    assert is_reset is fakeplat.bench.platform.view.clusters[id_].namespace_per_environment


def test_lists_have_only_an_owners_own_clusters(fakeplat: Fakeplat) -> None:
    """Lists have only the owner's own clusters, and those of others are not found."""
    ids = {owner: add_cluster(fakeplat, owner)["id"] for owner in OWNERS}
    for owner, user in OWNERS.items():
        assert [ids[owner]] == names(fakeplat.as_user(user).get(owner).json(), "id")
        for foreign in ids.values():
            if foreign != ids[owner]:
                for method in ("GET", "PUT", "DELETE"):
                    assert NOT_FOUND == refusal(fakeplat, user, method, f"{owner}/{foreign}")
        assert invalid("cluster_id is invalid") == refusal(fakeplat, user, "GET", f"{owner}/x")


def test_lists_have_pages(fakeplat: Fakeplat) -> None:
    """Clusters are listed in pages, the oldest first."""
    fakeplat.load(
        {
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "clusters": [{"name": "a"}, {"name": "b", "environment_scope": "b"}],
                }
            ]
        }
    )
    page = fakeplat.as_user("mia").get(f"{SITE}?per_page=1&page=2")
    assert (["b"], "2") == (names(page.json(), "name"), page.headers["X-Total"])


def test_a_project_is_named_by_its_number_too(fakeplat: Fakeplat) -> None:
    """A cluster is added to a project that is named by its id."""
    id_ = fakeplat.world.project("acme/site").id
    assert 201 == fakeplat.as_user("mia").post(f"projects/{id_}/clusters/user", json=build_body()).status


def test_refused_requests(fakeplat: Fakeplat) -> None:
    """A missing cluster is 404 before a missing right is 403; anonymous callers get 401 first of all."""
    cluster = add_cluster(fakeplat)
    for method in ("GET", "PUT", "DELETE"):
        assert FORBIDDEN == refusal(fakeplat, "dev", method, f"{SITE}/{cluster['id']}")
        assert NOT_FOUND == refusal(fakeplat, "dev", method, f"{SITE}/1")
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{SITE}/1")
        assert FORBIDDEN == refusal(fakeplat, "ada", method, f"{INSTANCE}/1")
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{INSTANCE}/1")


@pytest.mark.parametrize("feature", ["builds", "repository"])
def test_without_ci_or_a_repository_clusters_are_closed(fakeplat: Fakeplat, feature: str) -> None:
    """Without CI or a repository clusters can only be added, as another right is checked."""
    cluster = add_cluster(fakeplat)
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={f"{feature}_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", SITE)
    for method in ("GET", "PUT", "DELETE"):
        assert FORBIDDEN == refusal(fakeplat, "root", method, f"{SITE}/{cluster['id']}")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (
            {},
            (
                "name is missing, platform_kubernetes_attributes is missing, "
                "platform_kubernetes_attributes[api_url] is missing, platform_kubernetes_attributes[token] is missing"
            ),
        ),
        (build_body({"api_url": " "}), "platform_kubernetes_attributes[api_url] is empty"),
        (
            build_body({"authorization_type": "x"}),
            "platform_kubernetes_attributes[authorization_type] does not have a valid value",
        ),
        (build_body(management_project_id="x"), "management_project_id is invalid"),
    ],
)
def test_parameters_are_checked_first(fakeplat: Fakeplat, sent: dict[str, Any], expected: str) -> None:
    """Parameters of clusters are refused with the same texts for all owners."""
    for owner, user in OWNERS.items():
        assert invalid(expected) == refusal(fakeplat, user, "POST", ADD[owner], json=sent)


@pytest.mark.parametrize(
    ("sent", "texts"),
    [
        (build_body(name=" "), {"name": [" has to be present"]}),
        (build_body(domain="a_b.example.com"), {"domain": ["is not a fully qualified domain name"]}),
        (build_body({"token": " "}), {"platform_kubernetes.token": ["can't be blank"]}),
        (build_body({"ca_cert": "x"}), {"platform_kubernetes.ca_cert": ["must be a valid PEM certificate"]}),
        (build_body({"namespace": "a_b"}), {"platform_kubernetes.namespace": [NAMESPACE_TEXT]}),
        (build_body({"namespace": "gitlab-managed-apps"}), {"platform_kubernetes.namespace": ["is reserved"]}),
        (
            build_body({"namespace": "a" * 64}),
            {"platform_kubernetes.namespace": ["is too long (maximum is 63 characters)"]},
        ),
        *(
            (build_body({"api_url": url}), {"platform_kubernetes.api_url": [f"is blocked: {text}"]})
            for url, text in (
                ("invalid_api_url", "Only allowed schemes are http, https"),
                ("ftp://k8s.example.com", "Only allowed schemes are http, https"),
                ("https://localhost:6443", "Requests to localhost are not allowed"),
                ("https://127.0.0.1:6443", "Requests to localhost are not allowed"),
                ("https://[::1]", "Requests to localhost are not allowed"),
                ("https://10.0.0.1", "Requests to the local network are not allowed"),
                ("https://192.168.0.1", "Requests to the local network are not allowed"),
                ("https://[fd00::1]", "Requests to the local network are not allowed"),
                ("https://169.254.169.254", "Requests to the link local network are not allowed"),
                ("https://k8s.example.com:x", "URI is invalid"),
            )
        ),
        # All errors of a request are reported together.
        (
            build_body({"token": "", "api_url": "http://localhost"}, name=""),
            {
                "name": [" has to be present"],
                "platform_kubernetes.api_url": ["is blocked: Requests to localhost are not allowed"],
                "platform_kubernetes.token": ["can't be blank"],
            },
        ),
    ],
)
def test_records_are_validated(fakeplat: Fakeplat, sent: dict[str, Any], texts: dict[str, list[str]]) -> None:
    """Invalid clusters are refused on creation and update, which then change nothing."""
    assert invalid_record(**texts) == refusal(fakeplat, "mia", "POST", ADD[SITE], json=sent)
    cluster = add_cluster(fakeplat)
    assert invalid_record(**texts) == refusal(fakeplat, "mia", "PUT", f"{SITE}/{cluster['id']}", json=sent)


@pytest.mark.fakeplat(documented=False)
def test_the_platforms_own_texts(fakeplat: Fakeplat) -> None:
    """Invalid names and domains of clusters are refused with the platform's texts."""
    cases = {
        "a_b.example.com": r"contains invalid characters (valid characters: [a-z0-9\-])",
        "-a.example.com": "begins or ends with a hyphen",
        f"{'a' * 64}.example.com": "must be between 1 and 63 characters long",
        ".".join(["a" * 63] * 5): "must be between 1 and 255 characters long",
    }
    for domain, text in cases.items():
        assert invalid_record(domain=[text]) == refusal(
            fakeplat, "mia", "POST", ADD[SITE], json=build_body(domain=domain)
        )
    assert invalid_record(name=["has to be present"]) == refusal(
        fakeplat, "mia", "POST", ADD[SITE], json=build_body(name="")
    )
    assert "localhost" == add_cluster(fakeplat, domain="localhost")["domain"]


def test_values_are_stored_without_white_space(fakeplat: Fakeplat) -> None:
    """Values of clusters are stripped, and the namespace is stored in lower case."""
    cluster = add_cluster(
        fakeplat, platform={"namespace": "Production", "ca_cert": f" {CERTIFICATE}\n", "authorization_type": "abac"}
    )
    platform = cluster["platform_kubernetes"]
    assert ("production", CERTIFICATE, "abac") == (
        platform["namespace"],
        platform["ca_cert"],
        platform["authorization_type"],
    )
    changed = fakeplat.as_user("mia").put(
        f"{SITE}/{cluster['id']}", json={"platform_kubernetes_attributes": {"namespace": ""}}
    )
    assert None is changed.json()["platform_kubernetes"]["namespace"]


@pytest.mark.parametrize("owner", [ACME, INSTANCE])
def test_managed_clusters_of_several_projects_have_no_namespace(fakeplat: Fakeplat, owner: str) -> None:
    """The platform makes one for each project, unless the cluster is not managed."""
    expected = invalid_record(**{"platform_kubernetes.namespace": ["only allowed for project cluster"]})
    sent = build_body({"namespace": "one"})
    assert expected == refusal(fakeplat, OWNERS[owner], "POST", ADD[owner], json=sent)
    assert (
        "one" == add_cluster(fakeplat, owner, {"namespace": "one"}, managed=False)["platform_kubernetes"]["namespace"]
    )


def test_a_cluster_is_updated(fakeplat: Fakeplat) -> None:
    """An update of a cluster keeps what is not sent, its authorization and its management."""
    cluster = add_cluster(fakeplat, platform={"namespace": "one"})
    mia, path = fakeplat.as_user("mia"), f"{SITE}/{cluster['id']}"
    assert cluster == mia.put(path, json={}).json()
    attributes = {"api_url": "https://new.example.com", "token": "new", "authorization_type": "abac"}
    sent = {"name": "new", "domain": "example.com", "managed": False, "enabled": False}
    changed = mia.put(path, json={**sent, "platform_kubernetes_attributes": attributes}).json()
    platform = {**cluster["platform_kubernetes"], "api_url": "https://new.example.com"}
    assert {**cluster, "name": "new", "domain": "example.com", "platform_kubernetes": platform} == changed
    (record,) = fakeplat.bench.platform.view.clusters.all()
    assert (True, True, "new") == (record.enabled, record.managed, record.platform_kubernetes.token)


def test_administrators_disable_clusters_of_the_instance(fakeplat: Fakeplat) -> None:
    """Only clusters of the instance can be disabled in this release."""
    for owner, expected in ((INSTANCE, False), (ACME, True)):
        cluster = add_cluster(fakeplat, owner)
        fakeplat.as_user("root").put(f"{owner}/{cluster['id']}", json={"enabled": False})
        assert expected is fakeplat.bench.platform.view.clusters[cluster["id"]].enabled


def test_a_cluster_is_removed(fakeplat: Fakeplat) -> None:
    """A cluster is deleted unless it changed since the time in the request."""
    for owner, user in OWNERS.items():
        path = f"{owner}/{add_cluster(fakeplat, owner)['id']}"
        assert STALE == refusal(fakeplat, user, "DELETE", path, headers=LONG_AGO)
        assert 204 == fakeplat.as_user(user).delete(path).status
        assert NOT_FOUND == refusal(fakeplat, user, "GET", path)


def test_below_premium_an_owner_has_one_cluster(fakeplat: Fakeplat) -> None:
    """Scopes are ignored, so all clusters are for all environments."""
    assert "*" == add_cluster(fakeplat, environment_scope="production")["environment_scope"]
    expected = invalid_record(environment_scope=["cannot add duplicated environment scope"])
    assert expected == refusal(fakeplat, "mia", "POST", ADD[SITE], json=build_body(environment_scope="review/*"))
    assert "*" == add_cluster(fakeplat, ACME)["environment_scope"]


@pytest.mark.parametrize("how", [{"tier": "premium"}, {"documented": False}])
def test_each_environment_scope_has_one_cluster(fakeplat_factory: Any, how: dict[str, Any]) -> None:
    """Several clusters have different scopes: from premium on, on the real platform on every tier."""
    with fakeplat_factory(scenario="starter", **how) as fake:
        for owner, user in OWNERS.items():
            cluster = add_cluster(fake, owner, environment_scope="production")
            assert ("production", "*") == (cluster["environment_scope"], add_cluster(fake, owner)["environment_scope"])
            expected = invalid_record(environment_scope=["cannot add duplicated environment scope"])
            sent = {"environment_scope": "*"}
            assert expected == refusal(fake, user, "PUT", f"{owner}/{cluster['id']}", json=sent)


def test_a_management_project_is_in_the_same_hierarchy(fakeplat: Fakeplat) -> None:
    """A management project is in the owner's group or its subgroups, and the caller maintains it."""
    docs, kit, notes = (fakeplat.world.project(path).id for path in ("acme/docs", "acme/tools/kit", "ada/notes"))
    keys = ["id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at"]
    for owner, allowed, refused in ((SITE, docs, kit), (ACME, kit, notes)):
        for id_ in (refused, 1):
            sent = build_body(management_project_id=id_, name="")
            assert NOT_YOURS == refusal(fakeplat, "mia", "POST", ADD[owner], json=sent)
        cluster = add_cluster(fakeplat, owner, management_project_id=allowed)
        assert allowed == cluster["management_project"]["id"]
        assert keys == [*cluster["management_project"]]
        sent = {"management_project_id": refused}
        assert NOT_YOURS == refusal(fakeplat, "mia", "PUT", f"{owner}/{cluster['id']}", json=sent)
    assert notes == add_cluster(fakeplat, INSTANCE, management_project_id=notes)["management_project"]["id"]


def test_a_project_manages_one_cluster_per_scope(fakeplat: Fakeplat) -> None:
    """A project manages only one cluster per environment scope, whoever owns the clusters."""
    docs = fakeplat.world.project("acme/docs").id
    add_cluster(fakeplat, management_project_id=docs)
    expected = invalid_record(environment_scope=["cannot add duplicated environment scope"])
    assert expected == refusal(fakeplat, "mia", "POST", ADD[ACME], json=build_body(management_project_id=docs))


def load_created_cluster(fake: Fakeplat, **provider: Any) -> str:
    """Load a cluster that a provider created; return its path."""
    cluster = {"name": "made", "provider_type": "gcp", "provider_gcp": {**GCP, **provider}}
    fake.load({"projects": [{"path_with_namespace": "acme/site", "clusters": [cluster]}]})
    return f"{SITE}/{fake.as_user('mia').get(SITE).json()[0]['id']}"


def test_a_cluster_of_a_provider_changes_little(fakeplat: Fakeplat) -> None:
    """A cluster of a provider changes its namespace and domain, but not its name and API."""
    path = load_created_cluster(fakeplat)
    mia = fakeplat.as_user("mia")
    provider = {
        "cluster_id": int(path.rpartition("/")[2]),
        "status_name": "created",
        "gcp_project_id": "our-project",
        "zone": "us-central1-a",
        "machine_type": "n1-standard-2",
        "num_nodes": 3,
        "endpoint": "192.0.2.1",
    }
    assert provider == mia.get(path).json()["provider_gcp"]
    changed = mia.put(path, json={"domain": "example.com", "platform_kubernetes_attributes": {"namespace": "new"}})
    assert (200, "example.com") == (changed.status, changed.json()["domain"])
    managed = invalid_record(**{"platform_kubernetes.base": ["Cannot modify managed Kubernetes cluster"]})
    for attributes in ({"token": "new"}, {"api_url": "https://new.example.com"}, {"ca_cert": CERTIFICATE}):
        sent = {"platform_kubernetes_attributes": attributes}
        assert managed == refusal(fakeplat, "mia", "PUT", path, json=sent)
    named = invalid_record(name=[" can not be changed because it's synchronized with provider"])
    assert named == refusal(fakeplat, "mia", "PUT", path, json={"name": "new"})


def test_a_cluster_that_is_being_created_does_not_change(fakeplat: Fakeplat) -> None:
    """While a cluster is being created not even its domain can be changed."""
    path = load_created_cluster(fakeplat, status_name="creating")
    expected = invalid_record(base=["cannot modify during creation"])
    assert expected == refusal(fakeplat, "mia", "PUT", path, json={"domain": "example.com"})


def test_clusters_go_with_their_owners(fakeplat: Fakeplat) -> None:
    """Deleting an owner deletes its clusters; others only lose their management project."""
    docs = fakeplat.world.project("acme/docs").id
    add_cluster(fakeplat, ACME)
    add_cluster(fakeplat, INSTANCE, management_project_id=docs)
    add_cluster(fakeplat)
    root = fakeplat.as_user("root")
    root.delete("projects/acme%2Fdocs")
    root.delete("projects/acme%2Fsite")
    assert ["group_type", "instance_type"] == [row.cluster_type for row in fakeplat.bench.platform.view.clusters.all()]
    assert [None] == names(root.get(INSTANCE).json(), "management_project")
    root.delete("groups/acme")
    assert ["instance_type"] == [row.cluster_type for row in fakeplat.bench.platform.view.clusters.all()]


def test_a_cluster_outlives_who_added_it(fakeplat: Fakeplat) -> None:
    """A cluster whose creator was deleted has no user."""
    add_cluster(fakeplat)
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('mia').id}?hard_delete=true")
    assert [None] == names(fakeplat.as_user("root").get(SITE).json(), "user")


def test_nulls_are_as_blank_as_empty_texts(fakeplat: Fakeplat) -> None:
    """Null counts as blank for required values and otherwise keeps or clears the value."""
    cluster = add_cluster(fakeplat, domain="example.com")
    path = f"{SITE}/{cluster['id']}"
    assert invalid_record(name=[" has to be present"]) == refusal(fakeplat, "mia", "PUT", path, json={"name": None})
    sent = {"platform_kubernetes_attributes": {"token": None, "api_url": None}}
    texts = {"platform_kubernetes.api_url": ["can't be blank"], "platform_kubernetes.token": ["can't be blank"]}
    assert invalid_record(**texts) == refusal(fakeplat, "mia", "PUT", path, json=sent)
    cleared = outcome(fakeplat.as_user("mia").put(path, json={"domain": None, "management_project_id": None}))
    assert (200, None) == (cleared[0], cleared[1]["domain"])


ONLY = "always: {script: a}\ndeploy: {script: a, only: {kubernetes: active}}"


def list_jobs_of_push(fake: Fakeplat) -> tuple[list[str], bool]:
    """Push a configuration, and return the jobs, and whether they know of a cluster."""
    runner = create_runner(fake)
    commit_ci(fake, ONLY)
    listed = []
    while (reply := request_job(fake, runner)).status == 201:
        listed.append(reply.json())
    variables = {variable["key"]: variable["value"] for variable in listed[0]["variables"]}
    return sorted(job["job_info"]["name"] for job in listed), variables.get("CI_KUBERNETES_ACTIVE") == "true"


@pytest.mark.parametrize("path", [SITE, ACME, INSTANCE])
def test_jobs_are_for_projects_with_a_cluster(fakeplat: Fakeplat, path: str) -> None:
    """`only: kubernetes` holds, and CI_KUBERNETES_ACTIVE is set, with a cluster of the project, group or instance."""
    add_cluster(fakeplat, path)
    assert (["always", "deploy"], True) == list_jobs_of_push(fakeplat)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("fields", [{"enabled": False}, {"environment_scope": "review/*"}], ids=["disabled", "scope"])
def test_other_clusters_do_not_count(fakeplat: Fakeplat, fields: dict[str, Any]) -> None:
    """A cluster that is disabled, or for some environments only, does not make a project one with Kubernetes."""
    add_cluster(fakeplat, **fields)
    assert (["always"], False) == list_jobs_of_push(fakeplat)


@pytest.mark.fakeplat(default_branch="master")
@by_release(CERTIFICATE_CLUSTERS_SERVE, "expected", {"14.10": True, "15.0": False})
def test_clusters_with_certificates_end(fakeplat: Fakeplat, *, expected: bool) -> None:
    """From 15.0 on, clusters with certificates are disabled, so that no project has one."""
    switch(fakeplat)
    add_cluster(fakeplat)
    fakeplat.as_user("root").delete("features/certificate_based_clusters")
    assert expected is list_jobs_of_push(fakeplat)[1]


@pytest.mark.fakeplat(default_branch="master", version="latest")
def test_clusters_with_certificates_are_brought_back(fakeplat: Fakeplat) -> None:
    """Where later releases switch clusters with certificates on, jobs are for projects with one."""
    switch(fakeplat)
    add_cluster(fakeplat)
    assert (["always", "deploy"], True) == list_jobs_of_push(fakeplat)


@by_release(CERTIFICATE_CLUSTERS_SERVE, "is_on", {"14.10": True, "15.0": False})
@pytest.mark.parametrize("path", [SITE, ACME, INSTANCE])
def test_clusters_with_certificates_are_off_later(fakeplat: Fakeplat, is_on: bool, path: str) -> None:
    """From 15.0 on, clusters are not found until their feature is switched on, whatever the caller may do."""
    owner = fakeplat.as_user(OWNERS[path])
    switch(fakeplat)
    id_ = add_cluster(fakeplat, path)["id"]
    fakeplat.as_user("root").delete("features/certificate_based_clusters")
    off: Outcome = (404, {"message": "404 Not Found"})
    assert is_on == (200 == owner.get(path).status)
    assert is_on == (off != refusal(fakeplat, OWNERS[path], "GET", f"{path}/{id_ + 1}"))
    switch(fakeplat, on=False)
    for method, sub, body in (
        ("GET", path, None),
        ("GET", f"{path}/{id_}", None),
        ("POST", ADD[path], build_body()),
        ("PUT", f"{path}/{id_}", {"name": "x"}),
        ("DELETE", f"{path}/{id_}", None),
    ):
        assert off == refusal(fakeplat, OWNERS[path], method, sub, json=body)
    assert off == refusal(fakeplat, OWNERS[path], "POST", ADD[path], json={"name": "x"})
    assert off == refusal(fakeplat, OWNERS[path], "PUT", f"{path}/none", json={"enabled": "perhaps"})
    by_others = FORBIDDEN if path == INSTANCE else off
    assert [by_others, UNAUTHORIZED] == [refusal(fakeplat, user, "GET", path) for user in ("dev", None)]


@by_release(CLUSTERS_ARE_SOUGHT_FIRST, "is_sought", {"14.8": False, "14.9": True})
@pytest.mark.parametrize(("path", "name"), [("projects/acme%2Fnone", "Project"), ("groups/none", "Group")])
def test_hidden_projects_and_groups_are_refused_before_parameters(
    fakeplat: Fakeplat, is_sought: bool, path: str, name: str
) -> None:
    """From 14.9 on, 404 of a project or group comes before the parameters are validated; 403 comes after it."""
    missing = invalid(
        "platform_kubernetes_attributes is missing, platform_kubernetes_attributes[api_url] is missing, "
        "platform_kubernetes_attributes[token] is missing"
    )
    hidden: Outcome = (404, {"message": f"404 {name} Not Found"})
    unknown = f"{path}/clusters/user"
    assert (hidden if is_sought else missing) == refusal(fakeplat, "eve", "POST", unknown, json={"name": "x"})
    assert hidden == refusal(fakeplat, "eve", "POST", unknown, json=build_body())
    assert missing == refusal(fakeplat, "dev", "POST", ADD[SITE], json={"name": "x"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", ADD[SITE], json=build_body())


def test_administrators_are_asked_for_before_parameters(fakeplat: Fakeplat) -> None:
    """Of clusters of the instance, only administrators learn which parameters are missing."""
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", ADD[INSTANCE], json={"name": "x"})
    assert 400 == refusal(fakeplat, "root", "POST", ADD[INSTANCE], json={"name": "x"})[0]
