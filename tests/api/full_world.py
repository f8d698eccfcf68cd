"""A world with records in every table, most of them in or about the project acme/site."""

from typing import Any

from tests.gpg_keys import GPG_KEY, OTHER_GPG_KEY
from tests.ssh_keys import DSA, ECDSA, ED25519, RSA

SCIM_GROUP = "5f1c9c4e-6a0b-4a7e-9d3f-2b8e1c0a7d42"
IMAGE = {"link_url": "https://x.test", "image_url": "https://x.test/i.svg"}
DEBIAN_PACKAGE: dict[str, Any] = {
    "name": "hello",
    "package_type": "debian",
    "version": "1.0-1",
    "distribution": "sid",
    "files": [
        {
            "file_name": "hello_1.0-1_amd64.deb",
            "content": "deb",
            "metadata": {
                "file_type": "deb",
                "component": "main",
                "architecture": "amd64",
                "fields": {"Package": "hello", "Version": "1.0-1"},
            },
        },
        {
            "file_name": "hello_1.0-1_amd64.udeb",
            "content": "udeb",
            "metadata": {
                "file_type": "udeb",
                "component": "main",
                "architecture": "amd64",
                "fields": {"Package": "hello-udeb", "Version": "1.0-1"},
            },
        },
        {
            "file_name": "hello_1.0-1.dsc",
            "content": "dsc",
            "metadata": {
                "file_type": "dsc",
                "component": "main",
                "fields": {"Source": "hello", "Version": "1.0-1"},
            },
        },
    ],
}
ISSUE: dict[str, Any] = {
    "title": "Everything",
    "iid": 9,
    "author": "dev",
    "assignees": ["dev", "mia"],
    "labels": ["bug", "urgent"],
    "milestone": "v1.1",
    "state": "closed",
    "closed_by": "dev",
    "award_emoji": [{"name": "tada", "user": "dev"}],
    "subscribers": ["dev"],
    "metric_images": [{"filename": "load.png", "content": "x"}],
    "issue_contacts": ["bo@initech.test"],
    "timeline_events": [
        {"author": "dev", "note": "It began", "occurred_at": "2020-11-02T10:00:00Z", "tags": ["Start time"]}
    ],
    "progress": {"current_value": 40},
    "resource_links": [{"link": "https://acme.zoom.us/j/1"}],
    "custom_field_values": {"Severity": "High"},
    "timelogs": [{"user": "dev", "time_spent": 3600, "summary": "Reading"}],
    "notes": [
        {"author": "dev", "body": "Hm", "award_emoji": [{"name": "tada", "user": "mia"}]},
        {"author": "mia", "body": "mentioned", "system": True, "mentioned_in": "kept/fork#1"},
    ],
    "resource_label_events": [{"user": "dev", "label": "bug", "action": "add"}],
    "resource_milestone_events": [{"user": "dev", "milestone": "v1.1", "action": "add", "state": "opened"}],
    "resource_state_events": [{"user": "dev", "state": "closed"}],
    "resource_weight_events": [{"user": "dev", "weight": 2}],
    "resource_iteration_events": [{"user": "dev", "iteration": "One", "action": "add"}],
    "user_agent_detail": {"user_agent": "browser", "ip_address": "192.0.2.1", "antispam_submitted": True},
}
MERGE_REQUEST: dict[str, Any] = {
    "title": "Everything",
    "iid": 9,
    "description": "Closes kept/fork#1",
    "source_branch": "readme",
    "target_branch": "feature",
    "context_commits": ["master"],
    "merge_train": {"user": "dev"},
    "author": "dev",
    "assignees": ["dev"],
    "labels": ["bug"],
    "milestone": "v1.1",
    "blocked_by": ["kept/fork!1"],
    "status_check_responses": [{"check": "Look", "status": "failed"}],
    "reviewers": ["rep", {"user": "mia", "state": "reviewed"}],
    "draft_notes": [
        {"author": "rep", "note": "Hm", "position": {"new_path": "README.md", "new_line": 3}},
        {"author": "dev", "note": "Done", "resolve_discussion": True, "discussion": "open"},
        {"author": "root", "note": "Mine"},
    ],
    "merge_user": "dev",
    "merge_when_pipeline_succeeds": True,
    "approved_by": ["mia", "rep"],
    "approval_rules": [
        {"name": "Look", "approvals_required": 1, "users": ["dev"], "groups": ["acme/tools"], "source_rule": "All"}
    ],
    "award_emoji": [{"name": "tada", "user": "dev"}],
    "subscribers": ["dev"],
    "notes": [
        {
            "author": "dev",
            "type": "DiffNote",
            "body": "```suggestion:-0+0\nTEN\n```",
            "position": {"new_path": "README.md", "new_line": 3},
        }
    ],
    "closes": ["kept/fork#1", "acme/site#1"],
    "discussions": [
        {"notes": [{"author": "mia", "body": "Why?"}, {"author": "dev", "body": "So."}], "resolved_by": "dev"}
    ],
    "resource_state_events": [{"user": "dev", "state": "closed"}],
}
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "former_paths": ["acme/page"],
    "creator": "dev",
    "mirror_user": "dev",
    "members": {"eve": "guest"},
    "access_tokens": [{"name": "ci", "value": "ci-token"}],
    "shared_with_groups": {"kept": "developer", "acme/tools": "guest"},
    "starrers": ["dev", "eve"],
    "dashboard_stars": [{"path": "config/prometheus/common_metrics.yml", "user": "dev"}],
    "wiki": {"pages": [{"title": "home", "content": "x", "author": "dev"}]},
    "wiki_notes": [{"page": "home", "author": "dev", "body": "x"}],
    "fetches": {"2020-11-30": 3},
    "export": {"created_at": "2020-11-30T00:00:00Z"},
    "user_exports": [{"user": "root", "created_at": "2020-11-30T00:00:00Z"}],
    "relation_exports": [
        {"relation": "labels"},
        {"relation": "labels", "user": "root"},
        {"relation": "issues", "user": "root", "batched": True},
    ],
    "import": {"user": "dev"},
    "relation_imports": [{"relation": "issues", "user": "dev"}],
    "uploads": [{"filename": "a.txt", "content": "x"}],
    "avatar": {"filename": "face.png", "content_base64": "cmVk"},
    "custom_attributes": {"team": "red"},
    "lfs_objects": [{"content": "large"}],
    "lfs_locks": [{"path": "large.bin", "user": "dev"}],
    "path_locks": [{"path": "docs", "user": "dev"}],
    "error_tracking": {"project_name": "site", "api_url": "https://errors.example.test/api/0/projects/acme/site"},
    "unleash_instance_id": "site-instance-id",
    "label_priorities": {"urgent": 1, "bug": 2},
    "boards": [
        {"name": "Work", "lists": ["bug", "urgent"], "milestone": "v1.1", "assignee": "dev", "labels": ["bug"]},
    ],
    "access_requests": ["ext"],
    "invitations": {"new@example.com": "developer"},
    "storage_moves": [{"destination_storage_name": "default"}],
    "pipeline_creation_requests": [{"user": "root", "ref": "feature", "status": "succeeded", "pipeline": 1}],
    "dependency_list_exports": [{"user": "root", "export_type": "csv", "content": "eA=="}],
    "attestations": [{"subject_digest": "ab" * 32, "bundle": "e30="}],
    "aliases": ["site"],
    "badges": [IMAGE],
    "notification_settings": {"dev": "watch"},
    "protected_branches": [
        {"name": "feature", "push_access_levels": [{"user": "dev"}, {"group": "kept"}, {"group": "acme/tools"}]}
    ],
    "protected_tags": [{"name": "v*", "create_access_levels": [{"user": "dev"}, {"group": "acme/tools"}]}],
    "approval_rules": [
        {
            "name": "All",
            "approvals_required": 1,
            "users": ["dev"],
            "groups": ["acme/tools"],
            "protected_branches": ["feature"],
        }
    ],
    "environments": [
        {
            "name": "edge",
            "cluster_agent": "edge",
            "dashboard_annotations": [
                {
                    "dashboard_path": "config/prometheus/common_metrics.yml",
                    "starting_at": "2020-11-02T00:00:00.000Z",
                    "description": "Deployed",
                }
            ],
        },
        "production",
    ],
    "variables": [{"key": "TOKEN", "value": "of the project", "raw": True, "description": "Signs in"}],
    "triggers": [{"owner": "dev", "description": "Deploy"}],
    "pipeline_schedules": [
        {
            "description": "Nightly",
            "ref": "master",
            "cron": "0 4 * * *",
            "owner": "dev",
            "variables": [{"key": "MODE", "value": "fast"}],
            "last_pipeline": 1,
        }
    ],
    "deploy_tokens": [{"name": "ci"}],
    "tag_list": ["red"],
    "pages_domains": ["www.site.test"],
    "pages_deployments": [{"path_prefix": "docs"}],
    "remote_mirrors": [
        {"url": "https://ada:secret@mirror.test/site.git", "enabled": True},
        {"url": "ssh://git@mirror.test/site.git", "auth_method": "ssh_public_key"},
    ],
    "debian_distributions": [{"codename": "sid"}],
    "packages": [
        {
            "name": "app",
            "package_type": "generic",
            "version": "1.0.0",
            "creator": "dev",
            "pipeline": 1,
            "files": [
                {"file_name": "app.txt", "content": "app"},
                {"file_name": "docs%2Fsite-1.0.jar", "content": "a file in a folder"},
            ],
        },
        {
            "name": "@acme/site",
            "package_type": "npm",
            "version": "1.0.0",
            "files": [{"file_name": "@acme/site-1.0.0.tgz", "content": "tarball"}],
            "tags": [{"name": "latest"}],
        },
        {
            "name": "acme/site",
            "package_type": "maven",
            "version": "1.0",
            "path": "acme/site/1.0",
            "files": [{"file_name": "site-1.0.jar", "content": "jar"}],
        },
        {
            "name": "site",
            "package_type": "pypi",
            "version": "1.0",
            "files": [{"file_name": "site-1.0-py3-none-any.whl", "content": "wheel"}],
        },
        DEBIAN_PACKAGE,
        {
            "name": "acme/lib",
            "package_type": "composer",
            "version": "1.0.0",
            "manifest": {"name": "acme/lib"},
            "target_sha": "feature",
        },
        {
            "name": "web",
            "package_type": "helm",
            "version": "1.0.0",
            "files": [
                {
                    "file_name": "web-1.0.0.tgz",
                    "content": "chart",
                    "metadata": {
                        "channel": "stable",
                        "chart": {"apiVersion": "v2", "name": "web", "version": "1.0.0"},
                    },
                }
            ],
        },
        {
            "name": "Acme.Tool",
            "package_type": "nuget",
            "version": "1.0.0",
            "manifest": {"authors": "Ada", "dependencies": [{"id": "Json", "range": "1.0"}]},
            "files": [{"file_name": "acme.tool.1.0.0.nupkg", "content": "nupkg"}],
            "tags": [{"name": "tool"}],
        },
        {
            "name": "network/aws",
            "package_type": "terraform_module",
            "version": "1.0.0",
            "files": [{"file_name": "network-aws-1.0.0.tgz", "content": "module"}],
        },
        {
            "name": "hello",
            "package_type": "conan",
            "version": "0.1",
            "conan_username": "acme+site",
            "conan_channel": "stable",
            "files": [
                {"file_name": "conanfile.py", "content": "recipe"},
                {"file_name": "conaninfo.txt", "content": "[settings]", "conan_package_reference": "abc"},
                {"file_name": "conanfile.py", "content": "recipe", "conan_recipe_revision": "a" * 32},
                {
                    "file_name": "conaninfo.txt",
                    "content": "[settings]",
                    "conan_recipe_revision": "a" * 32,
                    "conan_package_reference": "abc",
                    "conan_package_revision": "a" * 32,
                },
            ],
        },
    ],
    "feature_flags": [
        {"name": "old", "scopes": [{"environment_scope": "*", "active": True}], "issues": [1]},
        {"name": "new", "strategies": [{"name": "gitlabUserList", "user_list": "testers"}]},
    ],
    "feature_flag_user_lists": [{"name": "testers", "user_xids": "a,b"}],
    "job_token_allowlist": [{"project": "kept/fork"}, {"group": "kept"}],
    "container_protection_rules": [
        {"repository_path_pattern": "acme/site/*", "minimum_access_level_for_push": "maintainer"}
    ],
    "container_tag_protection_rules": [
        {
            "tag_name_pattern": "^v",
            "minimum_access_level_for_push": "maintainer",
            "minimum_access_level_for_delete": "owner",
        }
    ],
    "managed_licenses": [{"name": "MIT", "approval_status": "approved"}],
    "error_tracking_client_keys": [{"public_key": "glet_1"}],
    "package_protection_rules": [{"package_name_pattern": "app*", "package_type": "npm"}],
    "project_subscriptions": [{"upstream": "kept/fork", "author": "dev"}],
    "target_branch_rules": [{"name": "feature/*", "target_branch": "feature"}],
    "external_status_checks": [
        {"name": "Look", "external_url": "https://look.test", "protected_branches": ["feature"]}
    ],
    "protected_environments": [
        {
            "name": "production",
            "deploy_access_levels": [{"user": "dev"}, {"group": "acme/tools"}],
            "approval_rules": [{"user": "dev"}, {"group": "acme/tools"}, {"access_level": 40}],
        }
    ],
    "push_rule": {"commit_message_regex": ".", "max_file_size": 5},
    "freeze_periods": [{"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"}],
    "terraform_state_protection_rules": [
        {"state_name": "production", "minimum_access_level_for_write": "maintainer", "allowed_from": "ci_only"}
    ],
    "terraform_states": [
        {"name": "production", "locked_by": "dev", "lock_id": "1-2", "locked_at": "2020-11-20T09:00:00.000Z"},
        {"name": "staging", "versions": [{"serial": 1, "content": "{}", "creator": "dev"}]},
    ],
    "cluster_agents": [
        {
            "name": "edge",
            "creator": "dev",
            "tokens": [{"name": "first", "creator": "dev"}],
            "activity_events": [{"kind": "token_created", "user": "dev", "token": "first"}],
            "url_configuration": {"url": "grpcs://edge.test"},
        }
    ],
    "secure_files": [{"name": "upload.jks", "content": "secret"}],
    "releases": [
        {
            "tag_name": "v1.0",
            "author": "dev",
            "milestones": ["v1.1"],
            "links": [{"name": "Binary", "url": "https://x.test/a", "filepath": "/a"}],
            "evidences": [{"summary": "{}"}],
        }
    ],
    "deployments": [
        {"environment": "production", "ref": "master", "user": "dev", "merge_requests": [11]},
        {"environment": "production", "ref": "master", "status": "created", "approvals": [{"user": "dev"}]},
    ],
    "resource_groups": ["production"],
    "container_repositories": [
        {"name": "web", "tags": ["latest", {"name": "v1", "total_size": 7}, {"name": "v2", "layers": [{"a.txt": "a"}]}]}
    ],
    "clusters": [{"name": "own", "user": "dev", "management_project": "acme/docs"}],
    "hooks": [{"url": "https://receiver.example.com/project", "issues_events": True}],
    "issues": [ISSUE, {"title": "Moved", "iid": 10, "state": "closed", "moved_to": "kept/fork#1"}],
    "alerts": {
        "active": True,
        "received": [
            {
                "title": "Down",
                "issue": 9,
                "environment": "production",
                "assignees": ["dev"],
                "metric_images": [{"filename": "load.png", "content": "x", "url": "https://metrics.test"}],
            }
        ],
    },
    "services": [{"slug": "slack", "properties": {"webhook": "https://chat.test/hook"}}],
    "merge_requests": [
        MERGE_REQUEST,
        {"title": "Closed", "iid": 10, "source_branch": "v", "author": "mia", "state": "closed", "closed_by": "dev"},
        {"title": "Merged", "iid": 11, "source_branch": "w", "author": "mia", "state": "merged", "merged_by": "dev"},
    ],
    "commit_comments": [{"commit": "master", "note": "Nice", "author": "dev"}],
    "pipelines": [
        {
            "ref": "master",
            "user": "dev",
            "status": "canceled",
            "auto_canceled_by": 3,
            "variables": [{"key": "A", "value": "1"}],
            "jobs": [
                {
                    "name": "test",
                    "status": "failed",
                    "log": "x",
                    "user": "eve",
                    "artifact_files": [{"files": {"a.txt": "A"}, "expire_at": None}],
                    "token": {"value": "token-of-a-job"},
                },
                {"name": "lint", "status": "success", "erased_by": "dev", "erased_at": "2020-11-30T10:00:00Z"},
                {
                    "name": "next",
                    "status": "success",
                    "trigger": {"project": "kept/fork"},
                    "downstream_pipeline": "kept/fork#1",
                },
            ],
        },
        {"merge_request": "acme/site!9", "ref": "refs/merge-requests/9/head", "sha": "3" * 40},
        {
            "iid": 3,
            "ref": "feature",
            "status": "success",
            "jobs": [
                {"name": "build", "status": "success", "artifact_files": [{"files": {"a.txt": "a"}, "expire_at": None}]}
            ],
        },
    ],
    "snippets": [
        {
            "title": "x",
            "file_name": "x",
            "content": "x",
            "author": "dev",
            "notes": [{"author": "mia", "body": "Hm"}],
            "award_emoji": [{"name": "tada", "user": "dev"}],
            "user_agent_detail": {"user_agent": "browser", "ip_address": "192.0.2.1", "antispam_submitted": True},
        }
    ],
}
GROUP: dict[str, Any] = {
    "full_path": "acme",
    "debian_distributions": [{"codename": "sid"}],
    "approval_setting": {"allow_author_approval": True},
    "approval_rules": [{"name": "Group", "approvals_required": 1, "users": ["mia"]}],
    "access_tokens": [{"name": "ci", "value": "group-ci-token"}],
    "variables": [{"key": "TOKEN", "value": "of the group"}],
    "deploy_tokens": [{"name": "ci"}],
    "group_protected_environments": [
        {"name": "staging", "approval_rules": [{"user": "dev", "required_approvals": 2}, {"group": "acme/tools"}]}
    ],
    "group_protected_branches": [
        {"name": "v*", "push_access_levels": [{"user": "dev"}], "merge_access_levels": [{"group": "kept"}]}
    ],
    "iteration_cadences": [{"title": "Sprints"}],
    "iterations": [{"title": "One", "cadence": "Sprints", "start_date": "2020-11-30", "due_date": "2020-12-11"}],
    "minutes_packs": [{"number_of_minutes": 1000, "expires_at": "2021-11-20", "purchase_xid": "A-1"}],
    "add_on_purchases": [
        {
            "name": "code_suggestions",
            "quantity": 10,
            "started_on": "2020-11-20",
            "expires_on": "2021-11-20",
            "purchase_xid": "A-2",
        }
    ],
    "storage_limit_exclusions": [{"reason": "large"}],
    "saml_group_links": [{"name": "devs", "access_level": 30, "scim_group_uid": SCIM_GROUP}],
    "ssh_certificates": [{"title": "CA", "key": ED25519}],
    "custom_fields": [
        {
            "name": "Severity",
            "field_type": "single_select",
            "select_options": ["High", "Low"],
            "work_item_types": ["issue"],
            "created_by": "ada",
        }
    ],
    "crm_organizations": [{"name": "Initech", "default_rate": 100}],
    "crm_contacts": [
        {"first_name": "Bo", "last_name": "Example", "email": "bo@initech.test", "organization": "Initech"}
    ],
    "saved_replies": [{"name": "Thanks", "content": "We thank you."}],
    "achievements": [{"name": "Star"}],
    "custom_emoji": [{"name": "party", "url": "https://emoji.example.test/party.png", "creator": "dev"}],
    "uploads": [{"filename": "b.txt", "content": "x"}],
    "avatar": {"filename": "face.png", "content_base64": "cmVk"},
    "epics": [
        {"title": "Above", "author": "mia"},
        {
            "title": "Everything",
            "author": "dev",
            "state": "closed",
            "labels": ["urgent"],
            "parent": "acme&1",
            "issues": ["acme/site#9"],
            "resource_label_events": [{"user": "dev", "label": "urgent", "action": "add"}],
            "resource_state_events": [{"user": "dev", "state": "closed"}],
            "notes": [
                {"author": "dev", "body": "Hm, an epic", "award_emoji": [{"name": "tada", "user": "mia"}]},
                {"author": "mia", "body": "mentioned", "system": True, "mentioned_in": "acme/site#9"},
            ],
            "award_emoji": [{"name": "thumbsup", "user": "dev"}],
            "subscribers": ["dev"],
        },
    ],
    "push_rule": {"branch_name_regex": "."},
    "clusters": [{"name": "shared"}],
    "hooks": [{"url": "https://receiver.example.com/group"}],
    "services": [{"slug": "external-wiki", "properties": {"external_wiki_url": "https://wiki.test"}}],
    "boards": [
        {
            "name": "All",
            "lists": ["urgent", {"iteration": "One"}],
            "milestone": "Winter",
            "assignee": "dev",
            "epic_preferences": [{"user": "dev", "epic": "acme&1", "collapsed": True}],
        }
    ],
    "epic_boards": [{"name": "Roadmap", "lists": ["urgent"], "labels": ["urgent"], "hide_closed_list": True}],
    "access_requests": ["ext"],
    "invitations": {"new@example.com": "developer"},
    "storage_moves": [{"destination_storage_name": "default"}],
    "badges": [IMAGE],
    "notification_settings": {"dev": "watch"},
    "custom_attributes": {"team": "red"},
    "shared_with_groups": [{"group_full_path": "kept", "group_access_level": "developer", "member_role": "Auditor"}],
    "file_template_project": "acme/site",
    "scim": {"token": "scim-token"},
    "wiki": {"pages": [{"title": "home", "content": "x"}]},
    "wiki_notes": [{"page": "home", "author": "dev", "body": "x"}],
    "export": {},
    "source_users": [{"source_hostname": "https://source.test", "source_user_identifier": "7"}],
    "relation_exports": [{"relation": "labels", "user": "root"}],
}
KEPT: dict[str, Any] = {
    "path": "kept",
    "ldap_group_links": [{"cn": "devs", "group_access": 30, "provider": "ldapmain"}],
    "visibility": "public",
    "members": {"eve": "owner", "dev": "developer"},
    "shared_with_groups": {"acme": "reporter"},
    "file_template_project": "kept/fork",
    "debian_distributions": [{"codename": "sid"}],
    "projects": [
        {
            "path": "fork",
            "visibility": "public",
            "forked_from_project": "acme/site",
            "debian_distributions": [{"codename": "sid"}],
            "packages": [DEBIAN_PACKAGE],
            "shared_with_groups": {"acme": "reporter"},
            "mirror": True,
            "mirror_user": "dev",
            "creator": "dev",
            "pipelines": [{"iid": 1, "ref": "main", "sha": "4" * 40, "jobs": [{"name": "test", "user": "dev"}]}],
            "issues": [
                {
                    "title": "One",
                    "iid": 1,
                    "author": "eve",
                    "notes": [{"author": "eve", "body": "mentioned", "system": True, "mentioned_in": "acme/site#9"}],
                },
                {"title": "Gone", "iid": 2, "author": "eve", "state": "closed", "moved_to": "acme/site#9"},
            ],
            "merge_requests": [
                {
                    "title": "Back",
                    "iid": 1,
                    "source_branch": "x",
                    "target_branch": "y",
                    "author": "eve",
                    "closes": ["acme/site#9"],
                }
            ],
            "approval_rules": [{"name": "Look", "approvals_required": 1, "users": ["dev"], "groups": ["acme"]}],
            "protected_branches": [
                {"name": "main", "push_access_levels": [{"user": "dev"}, {"group": "acme"}], "allow_force_push": True}
            ],
        },
        {"path": "old", "marked_for_deletion_on": "2099-01-01", "marked_for_deletion_by": "dev"},
    ],
}
FULL: dict[str, Any] = {
    "extends": "starter",
    "clock": {"start": "2020-12-01T10:00:00Z"},
    "instance": {"tier": "premium"},
    "settings": {"deletion_adjourned_period": 0, "receptive_cluster_agents_enabled": True},
    "users": [
        {
            "username": "root",
            "support_pin": "123456",
            "support_pin_expires_at": "2099-01-01T00:00:00Z",
            "keys": [{"title": "desk", "key": DSA}],
            "gpg_keys": [OTHER_GPG_KEY],
            "emails": ["root@work.test"],
        },
        {
            "username": "dev",
            "identities": [
                {"provider": "saml", "extern_uid": "1"},
                {"provider": "group_saml", "extern_uid": "1", "group": "acme"},
            ],
            "scim_group_memberships": [{"scim_group_uid": SCIM_GROUP}],
            "custom_attributes": {"team": "red"},
            "enterprise_group": "acme",
            "provisioned_by": "acme",
            "tokens": [
                "dev-token-2",
                {"value": "dev-oauth", "kind": "oauth", "application": "app"},
                {"kind": "impersonation", "value": "dev-support-token"},
            ],
            "keys": [{"title": "laptop", "key": ECDSA}],
            "gpg_keys": [GPG_KEY],
            "emails": ["dev@work.test"],
            "namespace_commit_emails": [{"namespace": "kept", "email": "dev@work.test"}],
            "saved_replies": [{"name": "Thanks", "content": "Thank you."}],
            "admin_role": {"member_role": "Helpdesk"},
            "visits": [{"path": "acme"}, {"path": "acme/site"}],
            "awarded_achievements": [{"group": "acme", "achievement": "Star", "awarded_by": "mia"}],
            "preferences": {"issues_sort": "UPDATED_DESC", "use_work_items_view": True},
            "work_item_preferences": [{"path": "acme/site", "type": "issue", "sort": "created_asc"}, {"path": "acme"}],
            "callouts": [
                {"feature_name": "suggest_pipeline"},
                {"feature_name": "invite_members_banner", "group": "acme"},
            ],
            "status": {"emoji": "tada", "message": "Here"},
            "snippets": [{"title": "y", "file_name": "y", "content": "y"}],
            "todos": [{"issue": "acme/site#9", "author": "mia", "action": "mentioned", "note": 1}],
            "global_notification_setting": {"level": "watch"},
        },
        {
            "username": "robot",
            "followers": ["dev"],
            "kind": "service_account",
            "service_account_of": "acme",
            "unconfirmed_email": "robot@new.test",
            "tokens": [
                {"value": "robot-token", "description": "Builds"},
                {
                    "value": "fine-token",
                    "name": "fine",
                    "granular_scopes": [
                        {"access": "selected_memberships", "permissions": ["read_project"], "project": "acme/site"},
                        {"access": "selected_memberships", "permissions": ["read_group"], "group": "acme"},
                        {"access": "user", "permissions": ["read_user"]},
                    ],
                },
            ],
        },
        {
            "username": "eve",
            "todos": [
                {"issue": "acme/site#9", "author": "dev", "action": "assigned"},
                {"merge_request": "acme/site!9", "author": "dev", "action": "assigned"},
                {"epic": "acme&2", "author": "dev", "action": "mentioned", "note": 1},
                {"wiki_page": "acme/site[[home]]", "author": "dev", "action": "mentioned", "note": 1},
            ],
        },
    ],
    "groups": [GROUP, KEPT],
    "projects": [SITE],
    "variables": [{"key": "TOKEN", "value": "of the instance"}],
    "runners": [
        {"description": "Shared", "token": "shared-runner-token"},
        {"group": "acme"},
        {"projects": ["acme/site", "kept/fork"], "managers": ["s_1"]},
    ],
    "security_policies": {"group": "acme"},
    "organization": {"name": "Ours", "owners": ["ada"]},
    "bulk_imports": [
        {
            "user": "root",
            "source_url": "https://source.example.test",
            "status": "finished",
            "source_user": "dev",
            "entities": [
                {
                    "source_type": "group_entity",
                    "source_full_path": "old",
                    "destination_namespace": "",
                    "destination_slug": "acme",
                    "status": "finished",
                    "namespace": "acme",
                },
                {
                    "source_type": "project_entity",
                    "source_full_path": "old/site",
                    "destination_namespace": "acme",
                    "destination_slug": "site",
                    "status": "failed",
                    "project": "acme/site",
                    "parent": "old",
                    "failures": [
                        {
                            "created_at": "2020-11-20T09:00:00.000Z",
                            "relation": "labels",
                            "exception_class": "Exception",
                            "exception_message": "broken",
                        }
                    ],
                },
            ],
        }
    ],
    "runner_controllers": [
        {
            "description": "Gate",
            "controller_tokens": [{"token": "glrct-token", "description": "production"}],
            "controller_scopes": [{"runner": "shared-runner-token"}],
        }
    ],
    "deploy_keys": [
        {"title": "own", "key": RSA, "user": "dev", "projects": {"acme/site": True}},
        {"title": "all", "key": ED25519, "user": "dev", "public": True, "projects": {"kept/fork": False}},
    ],
    "applications": [
        {
            "name": "App",
            "uid": "app",
            "redirect_uri": "https://x.test",
            "authorization_grants": [{"user": "dev", "code": "code", "nonce": "n-1"}],
            "device_grants": [{"device_code": "device-code", "user_code": "AB12CD34"}],
            "application_tokens": ["application-token"],
        },
        {"name": "Own", "uid": "own", "redirect_uri": "https://x.test", "owner": "dev"},
    ],
    "audit_events": [
        {"author": "dev", "entity_type": "Project", "entity": "acme/site", "details": {"add": "project"}},
        {"author": "dev", "entity_type": "User", "entity": "dev", "details": {"change": "username"}},
        {"author": "dev", "entity_type": "Group", "entity": "acme", "details": {"change": "visibility"}},
    ],
    "broadcast_messages": [{"message": "Maintenance at noon"}],
    "batched_migrations": [{"job_class_name": "BackfillEventIds", "table_name": "events"}],
    "schema_migrations": [{"version": 20240101000000}],
    "member_roles": [
        {"name": "Auditor", "base_access_level": 10, "read_code": True},
        {"name": "Helpdesk", "read_admin_users": True},
    ],
    "topics": [{"name": "Red", "avatar": {"filename": "red.png", "content_base64": "cmVk"}}],
    "appearance": {"title": "Ours", "logo": {"filename": "logo.png", "content_base64": "bG9nbw=="}},
    "features": [
        {"name": "approval_group_rules", "enabled": True},
        {"name": "new_page", "users": ["dev"], "groups": ["acme"], "projects": ["acme/site"], "percentage_of_time": 5},
        {"name": "new_menu", "namespaces": ["dev"], "runners": ["shared-runner-token"]},
        {
            "name": "new_colours",
            "opted_out_users": ["dev"],
            "opted_out_groups": ["acme"],
            "opted_out_projects": ["acme/site"],
            "opted_out_namespaces": ["dev"],
            "opted_out_runners": ["shared-runner-token"],
        },
        {"name": "slsa_provenance_statement", "enabled": True},
        {"name": "certificate_based_clusters", "enabled": True},
        {"name": "usage_data_queries_api", "enabled": True},
        {"name": "usage_data_non_sql_metrics", "enabled": True},
        {"name": "debian_packages", "enabled": True},
        {"name": "debian_group_packages", "enabled": True},
    ],
    "clusters": [{"name": "instance", "user": "dev", "management_project": "acme/site"}],
    "system_hooks": [{"url": "https://receiver.example.com/system"}],
    "ci_includes": {"https://ci.example.com/base.yml": "base: {script: x}"},
    "related_epic_links": [{"source": "acme&1", "target": "acme&2", "link_type": "blocks"}],
    "issue_links": [
        {"source": "kept/fork#1", "target": "acme/site#9"},
        {"source": "acme/site#1", "target": "acme/site#9"},
    ],
    "events": [
        {"author": "dev", "action": "created", "project": "acme/site", "target_type": "issue", "target": "acme/site#9"},
        {"author": "dev", "action": "created", "group": "acme", "target_type": "epic", "target": "acme&2"},
        {"author": "dev", "action": "commented", "group": "acme", "target_type": "note", "target": "acme&2!1"},
        {"author": "dev", "action": "closed", "project": "acme/site", "target_type": "milestone", "target": "v1.1"},
        {"author": "dev", "action": "created", "group": "acme", "target_type": "milestone", "target": "Winter"},
        {
            "author": "dev",
            "action": "commented",
            "project": "acme/site",
            "target_type": "note",
            "target": "acme/site#9!1",
        },
        {"author": "dev", "action": "updated", "project": "acme/site", "target_type": "wiki", "target": "home"},
    ],
}
