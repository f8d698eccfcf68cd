"""Permissions by role for packages, in the form of `role_rows.py`.

Sources: docs/platform/packages.md; the platform's policies of projects and groups.
"""

from hashlib import sha256
from typing import Any

from tests.api.chart_files import build_chart, chart_form
from tests.api.deb_files import build_deb
from tests.api.package_files import multipart, npm_document

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
GENERIC = "/packages/generic/app/1.0.0/app.txt"
GENERIC_FOLDER = "/packages/generic/app/1.0.0/folder/app.txt"
NPM = "/packages/npm/@acme%2fsite"
TAGS = "/packages/npm/-/package/@acme%2fsite/dist-tags"
MAVEN = "/packages/maven/acme/site/1.0/site-1.0.jar"
RPM = multipart({}, ("file", "hello.rpm", b"rpm"))
UNFINISHED = "401 404 404 403 404 404 404 404 404"
HELM = "/packages/helm/stable"
MODULE = "/packages/terraform/modules/network/aws/1.1.0/file"
CHART = chart_form(build_chart(version="1.1.0"))
READ = "404 404 404 403 200 200 200 200 200"
CHALLENGED = f"401 {READ[4:]}"
EVERYBODY = "200 200 200 200 200 200 200 200 200"
WITHOUT_CONTENT = "204 204 204 204 204 204 204 204 204"
SEEN = "404 404 404 200 200 200 200 200 200"
"""The file of a project that the caller sees; the right to read packages is that of the group."""
EMPTY = "401 404 404 403 204 204 204 204 204"
NOTHING = sha256(b"").hexdigest()
"""The digest of an empty index."""
MEMBERS = "404 404 404 404 200 200 200 200 200"
COMPOSER = "group/acme/-/packages/composer"
WRITE = "401 404 404 403 403"

PROJECT = [
    ("list_project_packages", "GET", "/packages", None, READ),
    ("get_package", "GET", "/packages/{package}", None, READ),
    ("list_package_files", "GET", "/packages/{package}/package_files", None, READ),
    ("list_package_pipelines", "GET", "/packages/{package}/pipelines", None, READ),
    ("get_package_file_download", "GET", "/packages/{package}/package_files/{package_file}/download", None, READ),
    (
        "delete_package_file",
        "DELETE",
        "/packages/{package}/package_files/{package_file}",
        None,
        "404 404 404 403 403 403 204 204 204",
    ),
    ("delete_package", "DELETE", "/packages/{package}", None, "404 404 404 403 403 403 204 204 204"),
    ("download_generic_package_file", "GET", GENERIC, None, f"401 {READ[4:]}"),
    ("download_generic_package_file_in_folder", "GET", GENERIC_FOLDER, None, "401 404 404 403 404 404 404 404 404"),
    ("upload_generic_package_file", "PUT", GENERIC, None, f"{WRITE} 201 201 201 201"),
    ("upload_generic_package_file_in_folder", "PUT", GENERIC_FOLDER, None, f"{WRITE} 201 201 201 201"),
    ("get_project_npm_package", "GET", NPM, None, CHALLENGED),
    ("download_npm_package_file", "GET", f"{NPM}/-/@acme%2fsite-1.0.0.tgz", None, READ),
    ("upload_npm_package", "PUT", NPM, npm_document("@acme/site", "1.1.0"), f"{WRITE} 200 200 200 200"),
    ("list_project_npm_dist_tags", "GET", TAGS, None, CHALLENGED),
    ("set_project_npm_dist_tag", "PUT", f"{TAGS}/old", "1.0.0", f"{WRITE} 204 204 204 204"),
    ("delete_project_npm_dist_tag", "DELETE", f"{TAGS}/latest", None, f"{WRITE} 403 204 204 204"),
    # The features of gems and of Cargo are off.
    *(
        (f"{name} (none)", "GET", f"/packages/cargo/{path}", None, "401 404 404 403 404 404 404 404 404")
        for name, path in (
            ("get_package_cargo_config_json", "config.json"),
            ("get_package_cargo_index_1", "1/a"),
            ("get_package_cargo_index_2", "2/ab"),
            ("get_package_cargo_index_3", "3/a/abc"),
            ("get_package_cargo_index", "ab/cd/abcd"),
            ("get_package_cargo_download", "abcd/1.0.0/download"),
        )
    ),
    *(
        (f"{name} (none)", method, f"/packages/rubygems/{path}", None, f"{first} 404 404 403 404 404 404 404 404")
        for name, method, path, first in (
            ("get_package_rubygem", "GET", "specs.4.8.gz", 404),
            ("get_package_rubygem_quick_marshal_4_8", "GET", "quick/Marshal.4.8/a-1.0.gemspec.rz", 404),
            ("get_package_rubygem_gem", "GET", "gems/a-1.0.gem", 404),
            ("list_package_rubygem_dependencies", "GET", "api/v1/dependencies", 404),
            ("create_package_rubygem_gem", "POST", "api/v1/gems", 401),
        )
    ),
    ("download_project_maven_package_file", "GET", MAVEN, None, CHALLENGED),
    ("get_package_helm_index_yaml", "GET", HELM + "/index.yaml", None, CHALLENGED),
    ("get_package_helm_chart_tgz", "GET", f"{HELM}/charts/web-1.0.0.tgz", None, CHALLENGED),
    ("create_package_helm_chart", "POST", "/packages/helm/api/stable/charts", CHART, f"{WRITE} 201 201 201 201"),
    ("upload_composer_package", "POST", "/packages/composer", {"branch": "published"}, f"{WRITE} 201 201 201 201"),
    ("download_composer_archive", "GET", "/packages/composer/archives/acme/lib.zip?sha={composer}", None, CHALLENGED),
    ("upload_rpm_package", "POST", "/packages/rpm", RPM, f"{WRITE} 404 404 404 404"),
    ("get_package_rpm", "GET", "/packages/rpm/1/hello.rpm", None, UNFINISHED),
    ("get_package_rpm_repodata", "GET", "/packages/rpm/repodata/repomd.xml", None, UNFINISHED),
    ("get_project_package_conan_search", "GET", "/packages/conan/v1/conans/search?q=hello", None, READ),
    ("get_package_conan_search_by_id", "GET", "/packages/conan/v2/conans/search?q=hello", None, READ),
    ("update_package_terraform_module_file", "PUT", MODULE, None, f"{WRITE} 201 201 201 201"),
    ("upload_maven_package_file", "PUT", MAVEN, None, f"{WRITE} 200 200 200 200"),
]
DIST = "/packages/debian/dists/sid"
MAIN = f"{DIST}/main/binary-amd64"
INSTALLER = f"{DIST}/main/debian-installer/binary-amd64"
SOURCE = f"{DIST}/main/source"
HASHED = "by-hash/SHA256/{digest}"
DISTRIBUTIONS = "/debian_distributions"
HIDDEN = "404 404 404 403 403"
PUBLIC = "401 403 403 403 403"
DEB = "hello_1.0-1_amd64.deb"
DEBIAN_PROJECT = [
    ("list_debian_distributions", "GET", DISTRIBUTIONS, None, READ),
    ("get_debian_distribution", "GET", f"{DISTRIBUTIONS}/sid", None, READ),
    ("get_debian_distribution_key_asc", "GET", f"{DISTRIBUTIONS}/sid/key.asc", None, READ),
    ("create_debian_distribution", "POST", DISTRIBUTIONS, {"codename": "new"}, f"{HIDDEN} 201 201 201 201"),
    ("update_debian_distribution", "PUT", f"{DISTRIBUTIONS}/sid", {"label": "x"}, f"{HIDDEN} 200 200 200 200"),
    ("delete_debian_distribution", "DELETE", f"{DISTRIBUTIONS}/sid", None, f"{HIDDEN} 403 202 202 202"),
    ("get_debian_release", "GET", f"{DIST}/Release", None, CHALLENGED),
    ("get_debian_in_release", "GET", f"{DIST}/InRelease", None, CHALLENGED),
    ("get_debian_release_signature", "GET", f"{DIST}/Release.gpg", None, CHALLENGED),
    ("list_debian_packages", "GET", f"{MAIN}/Packages", None, CHALLENGED),
    ("get_package_binary_by_hash_sha256", "GET", f"{MAIN}/{HASHED}", None, CHALLENGED),
    ("list_package_debian_installer_binary_packages", "GET", f"{INSTALLER}/Packages", None, EMPTY),
    ("get_project_package_binary_by_hash_sha256", "GET", f"{INSTALLER}/by-hash/SHA256/{NOTHING}", None, EMPTY),
    ("list_package_dist_source_sources", "GET", f"{SOURCE}/Sources", None, EMPTY),
    ("get_package_source_by_hash_sha256", "GET", f"{SOURCE}/by-hash/SHA256/{NOTHING}", None, EMPTY),
    ("get_package_debian_pool", "GET", f"/packages/debian/pool/sid/h/hello/1.0-1/{DEB}", None, CHALLENGED),
    ("upload_debian_package_file", "PUT", f"/packages/debian/{DEB}", {}, f"{WRITE} 201 201 201 201"),
]
DEBIAN_GROUP = [
    ("list_group_debian_distributions", "GET", DISTRIBUTIONS, None, EVERYBODY),
    ("get_group_debian_distribution", "GET", f"{DISTRIBUTIONS}/sid", None, EVERYBODY),
    ("get_group_debian_distribution_key_asc", "GET", f"{DISTRIBUTIONS}/sid/key.asc", None, EVERYBODY),
    ("create_group_debian_distribution", "POST", DISTRIBUTIONS, {"codename": "new"}, f"{PUBLIC} 201 201 201 201"),
    ("update_group_debian_distribution", "PUT", f"{DISTRIBUTIONS}/sid", {"label": "x"}, f"{PUBLIC} 200 200 200 200"),
    ("delete_group_debian_distribution", "DELETE", f"{DISTRIBUTIONS}/sid", None, f"{PUBLIC} 403 202 202 202"),
    ("get_group_debian_release", "GET", f"{DIST}/Release", None, EVERYBODY),
    ("get_group_debian_in_release", "GET", f"{DIST}/InRelease", None, EVERYBODY),
    ("get_group_debian_release_signature", "GET", f"{DIST}/Release.gpg", None, EVERYBODY),
    ("list_group_debian_packages", "GET", f"{MAIN}/Packages", None, WITHOUT_CONTENT),
    ("get_group_binary_by_hash_sha256", "GET", f"{MAIN}/by-hash/SHA256/{NOTHING}", None, WITHOUT_CONTENT),
    ("list_group_debian_installer_binary_packages", "GET", f"{INSTALLER}/Packages", None, WITHOUT_CONTENT),
    (
        "get_group_binary_by_hash_sha256_by_file_sha256",
        "GET",
        f"{INSTALLER}/by-hash/SHA256/{NOTHING}",
        None,
        WITHOUT_CONTENT,
    ),
    ("list_group_dist_source_sources", "GET", f"{SOURCE}/Sources", None, WITHOUT_CONTENT),
    ("get_group_source_by_hash_sha256", "GET", f"{SOURCE}/by-hash/SHA256/{NOTHING}", None, WITHOUT_CONTENT),
    (
        "get_group_package_debian_pool",
        "GET",
        f"/packages/debian/pool/sid/{{site}}/h/hello/1.0-1/{DEB}",
        None,
        SEEN,
    ),
]
ROWS = [
    *((name, method, SITE + path, body, statuses) for name, method, path, body, statuses in DEBIAN_PROJECT),
    *((name, method, f"{ACME}/-{path}", body, statuses) for name, method, path, body, statuses in DEBIAN_GROUP),
    *((name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT),
    # The group is public: everybody gets the packages that they may read.
    ("list_group_package_composer_packages", "GET", f"{COMPOSER}/packages.json", None, EVERYBODY),
    ("get_group_package_composer_p", "GET", f"{COMPOSER}/p/0.json", None, EVERYBODY),
    ("get_group_package_composer_p2", "GET", f"{COMPOSER}/p2/acme/lib.json", None, MEMBERS),
    ("get_composer_resource", "GET", f"{COMPOSER}/acme/lib$0.json", None, MEMBERS),
    ("list_group_packages", "GET", f"{ACME}/packages", None, EVERYBODY),
]


def create_records(root: Any) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    root.put(SITE + GENERIC, data=b"app")
    root.put(SITE + NPM, json=npm_document("@acme/site", "1.0.0"))
    root.put(SITE + MAVEN, data=b"jar")
    root.post(f"{SITE}/packages/helm/api/stable/charts", **chart_form(build_chart()))
    for name in ("debian_packages", "debian_group_packages", "rpm_packages"):
        root.post(f"features/{name}", json={"value": True})
    for container in (SITE, f"{ACME}/-"):
        root.post(f"{container}/debian_distributions", json={"codename": "sid"})
    root.put(f"{SITE}/packages/debian/{DEB}?distribution=sid&component=main", data=build_deb())
    index = root.get(f"{SITE}{MAIN}/Packages").content
    manifest = {
        "branch": "published",
        "start_branch": "feature",
        "content": '{"name": "acme/lib"}',
        "commit_message": "Describe the package",
    }
    root.post(f"{SITE}/repository/files/composer.json", json=manifest)
    root.post(f"{SITE}/packages/composer", json={"branch": "published"})
    commit = root.get(f"{SITE}/repository/branches/published").json()["commit"]["id"]
    package = root.get(f"{SITE}/packages").json()[0]["id"]
    files = root.get(f"{SITE}/packages/{package}/package_files").json()
    return {
        "package": package,
        "package_file": files[0]["id"],
        "composer": commit,
        "digest": sha256(index).hexdigest(),
        "site": root.get(SITE).json()["id"],
    }
