"""An example of each keyword and value of CI configurations that not all releases have, and where it may stand."""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeplat.domain.ci.known_names import list_known_names
from tests.releases.edges import Edge, edges_of

# The key of a job and its value as flow YAML, by the name of the keyword below the job.
EXAMPLES: Final[Mapping[str, str]] = {
    "allow_failure.exit_codes": "allow_failure: {exit_codes: 3}",
    "artifacts.access": "artifacts: {paths: [a], access: all}",
    "artifacts.access=maintainer": "artifacts: {paths: [a], access: maintainer}",
    "artifacts.public": "artifacts: {paths: [a], public: true}",
    **{
        f"artifacts.reports.{name}": f"artifacts: {{reports: {{{name}: a.json}}}}"
        for name in (
            "annotations api_fuzzing cluster_image_scanning cobertura cyclonedx license_scanning repository_xray "
            "requirements_v2"
        ).split()
    },
    "artifacts.reports.coverage_report": (
        "artifacts: {reports: {coverage_report: {coverage_format: cobertura, path: a.xml}}}"
    ),
    "artifacts.reports.coverage_report.coverage_format=jacoco": (
        "artifacts: {reports: {coverage_report: {coverage_format: jacoco, path: a.xml}}}"
    ),
    "cache.fallback_keys": "cache: {paths: [a], fallback_keys: [b]}",
    "cache.key.files_commits": "cache: {paths: [a], key: {files_commits: [c]}}",
    "cache.unprotect": "cache: {paths: [a], unprotect: true}",
    "dast_configuration": "dast_configuration: {site_profile: a}",
    "environment": "environment: production",
    "environment.action=access": "environment: {name: production, action: access}",
    "environment.action=verify": "environment: {name: production, action: verify}",
    "environment.deployment_tier": "environment: {name: production, deployment_tier: production}",
    "environment.kubernetes.agent": "environment: {name: production, kubernetes: {agent: 'a:b'}}",
    "environment.kubernetes.dashboard": (
        "environment: {name: production, kubernetes: {agent: 'a:b', dashboard: {namespace: a}}}"
    ),
    "environment.kubernetes.flux_resource_path": (
        "environment: {name: production, kubernetes: {agent: 'a:b', namespace: c, flux_resource_path: a/b}}"
    ),
    "environment.kubernetes.managed_resources": (
        "environment: {name: production, kubernetes: {managed_resources: {enabled: false}}}"
    ),
    "hooks": "hooks: {pre_get_sources_script: [echo]}",
    "id_tokens": "id_tokens: {TOKEN: {aud: a}}",
    "identity": "identity: google_cloud",
    "image.docker": "image: {name: a, docker: {user: b}}",
    "image.kubernetes": "image: {name: a, kubernetes: {user: b}}",
    "image.pull_policy": "image: {name: a, pull_policy: [always, never]}",
    "inherit.default=hooks": "inherit: {default: [hooks]}",
    "inherit.default=id_tokens": "inherit: {default: [id_tokens]}",
    "inherit.default=identity": "inherit: {default: [identity]}",
    "component": "component: localhost/acme/tool/part@main",
    "inputs": "inputs: {a: b}",
    "job.inputs": "inputs: {a: {default: b}}",
    "with": "with: {a: b}",
    "interruptible": "interruptible: true",
    "manual_confirmation": "when: manual, manual_confirmation: Sure",
    "needs.optional": "needs: [{job: first, optional: true}]",
    "needs.parallel": "needs: [{job: first matrix, parallel: {matrix: [{A: [b]}]}}]",
    "needs.pipeline": "needs: [{pipeline: $PARENT, job: other}]",
    "pages": "pages: true",
    "pages.publish": "pages: {publish: public}",
    "parallel": "parallel: {matrix: [{A: [b, c]}]}",
    "publish": "publish: public",
    "release.tag_message": "release: {tag_name: v1, description: a, tag_message: b}",
    "resource_group": "resource_group: a",
    "retry.exit_codes": "retry: {max: 1, exit_codes: [1]}",
    "retry.when=missing_dependency_failure": "retry: {max: 1, when: missing_dependency_failure}",
    "retry.when=runner_provisioning_timeout": "retry: {max: 1, when: runner_provisioning_timeout}",
    "rules.auto_cancel.on_job_failure": "rules: [{if: $A, auto_cancel: {on_job_failure: all}}]",
    "rules.auto_cancel.on_new_commit": "rules: [{if: $A, auto_cancel: {on_new_commit: none}}]",
    "rules.auto_cancel": "rules: [{if: '$CI', auto_cancel: {on_new_commit: none}}]",
    "rules.changes": "rules: [{changes: [a]}]",
    "rules.changes.compare_to": "rules: [{changes: {paths: [a], compare_to: main}}]",
    "rules.changes.paths": "rules: [{changes: {paths: [a]}}]",
    "rules.exists": "rules: [{exists: [a]}]",
    "rules.exists.paths": "rules: [{exists: {paths: [a]}}]",
    "rules.exists.project": "rules: [{exists: {paths: [a], project: acme/tool}}]",
    "rules.exists.ref": "rules: [{exists: {paths: [a], project: acme/tool, ref: main}}]",
    "rules.if": "rules: [{if: $A}]",
    "rules.interruptible": "rules: [{if: $A, interruptible: true}]",
    "rules.needs": "rules: [{if: $A, needs: [first]}]",
    "rules.needs.optional": "rules: [{if: $A, needs: [{job: first, optional: true}]}]",
    "rules.needs.parallel": "rules: [{if: $A, needs: [{job: first matrix, parallel: {matrix: [{A: [b]}]}}]}]",
    "rules.variables": "rules: [{if: $CI, variables: {A: b}}]",
    "rules.when": "rules: [{if: $A, when: never}]",
    "run": "run: [{name: a, script: b}]",
    **{
        f"secrets.*.{name}": f"secrets: {{A: {{{text}}}}}"
        for name, text in {
            "akeyless": "akeyless: {name: a}",
            "aws_secrets_manager": "aws_secrets_manager: {secret_id: a}",
            "azure_key_vault": "azure_key_vault: {name: a}",
            "file": "vault: a/b@c, file: true",
            "gcp_secret_manager": "gcp_secret_manager: {name: a}, token: $TOKEN",
            "gitlab_secrets_manager": "gitlab_secrets_manager: {name: a}",
            "token": "vault: a/b@c, token: $TOKEN",
        }.items()
    },
    "services.docker": "services: [{name: a, docker: {user: b}}]",
    "services.kubernetes": "services: [{name: a, kubernetes: {user: b}}]",
    "services.pull_policy": "services: [{name: a, pull_policy: always}]",
    "services.variables": "services: [{name: a, variables: {B: c}}]",
    "services.variables.*.expand": "services: [{name: a, variables: {B: {value: c, expand: false}}}]",
    "services.variables.*.value": "services: [{name: a, variables: {B: {value: c}}}]",
    "spec": "{inputs: {a: {default: b}}}",
    "spec.component": "{component: [name]}",
    "spec.description": "{description: a}",
    "spec.include": "{include: [{local: inputs.yml}]}",
    "spec.inputs.*.description": "{inputs: {a: {default: b, description: c}}}",
    "spec.inputs.*.options": "{inputs: {a: {default: b, options: [b, c]}}}",
    "spec.inputs.*.regex": "{inputs: {a: {default: b, regex: b}}}",
    "spec.inputs.*.rules": "{inputs: {a: {default: b}, c: {rules: [{if: '$[[ inputs.a ]]', default: b}]}}}",
    "spec.inputs.*.type": "{inputs: {a: {default: b, type: string}}}",
    "spec.inputs.*.type=array": "{inputs: {a: {default: [b], type: array}}}",
    "trigger.forward": "trigger: {project: acme/tool, forward: {yaml_variables: false}}",
    "trigger.include.component": "trigger: {include: [{component: example.com/acme/tool/a@1.0}]}",
    "trigger.include.inputs": "trigger: {include: [{local: child.yml, inputs: {a: b}}]}",
    "trigger.include.integrity": "trigger: {include: [{remote: 'https://example.com/a.yml', integrity: sha256-YQ==}]}",
    "trigger.include.rules": "trigger: {include: [{local: child.yml, rules: [{if: $A}]}]}",
    "trigger.include.with": "trigger: {include: [{local: child.yml, with: {a: b}}]}",
    "trigger.inputs": "trigger: {project: acme/tool, inputs: {a: b}}",
    "trigger.strategy=mirror": "trigger: {project: acme/tool, strategy: mirror}",
    "type": "type: test",
    "types": "types: [build, test]",
    "variables.*.description": "variables: {A: {value: b, description: c}}",
    "variables.*.expand": "variables: {A: {value: b, expand: false}}",
    "variables.*.options": "variables: {A: {value: b, options: [b, c]}}",
    "variables.*.value": "variables: {A: {value: b}}",
    "workflow.auto_cancel": "workflow: {auto_cancel: {on_new_commit: none}}",
    "workflow.auto_cancel.on_job_failure": "workflow: {auto_cancel: {on_job_failure: all}}",
    "workflow.auto_cancel.on_new_commit": "workflow: {auto_cancel: {on_new_commit: none}}",
    "workflow.name": "workflow: {name: a}",
}
JOBS: Final = """
first: {stage: build, script: a}
first matrix: {stage: build, script: a, parallel: {matrix: [{A: [b]}]}}
"""
"""The jobs of each example besides its own."""


def build_configuration(name: str) -> str:
    """Return a whole configuration with the example of a dotted name, such as ``default.image.docker``."""
    owner, _, rest = name.partition(".")
    match owner:
        case "job" if rest == "publish":
            return f"{JOBS}pages: {{stage: test, script: a, publish: b}}\n"
        case "job" if rest == "run":
            return f"{JOBS}job: {{stage: test, run: [{{name: a, script: b}}]}}\n"
        case "job":
            return f"{JOBS}job: {{stage: test, script: a, {EXAMPLES.get(name) or EXAMPLES[rest]}}}\n"
        case "trigger job":
            if rest.startswith("trigger.include.rules."):
                rules = EXAMPLES[rest.removeprefix("trigger.include.")]
                return f"{JOBS}job: {{stage: test, trigger: {{include: [{{local: child.yml, {rules}}}]}}}}\n"
            trigger = "" if rest.startswith("trigger.") else "trigger: acme/tool, "
            return f"{JOBS}job: {{stage: test, {trigger}{EXAMPLES[rest]}}}\n"
        case "default":
            return f"{JOBS}job: {{stage: test, script: a}}\ndefault: {{{EXAMPLES[rest]}}}\n"
        case "workflow" if rest.startswith("rules."):
            # Without another rule, there might be no pipeline.
            rules = EXAMPLES[rest].removesuffix("]")
            return f"{JOBS}workflow: {{{rules}, {{when: always}}]}}\n"
        case "include":
            location = "" if rest == "component" else "local: extra.yml, "
            return f"{JOBS}include: [{{{location}{EXAMPLES[rest]}}}]\n"
        case "spec":
            return f"spec: {EXAMPLES[name]}\n---\n{JOBS}"
    return f"{JOBS}{EXAMPLES[name]}\n"


def list_keyword_edges() -> Iterator[Edge]:
    """Yield the beginning and the end of each keyword and value that does not begin or end with the one that has it."""
    edges = [edge for each in list_known_names() for edge in edges_of(each.kind, None, each.name, each.lifetime)]
    known = {(edge.name, edge.release) for edge in edges}
    for edge in edges:
        if edge.kind == "keyword" and not any((owner, edge.release) in known for owner in _list_owners(edge.name)):
            yield edge


def _list_owners(name: str) -> Iterator[str]:
    """Yield the names above a dotted name."""
    while name := name.rpartition("=")[0] or name.rpartition(".")[0]:
        yield name


def list_variable_edges() -> Iterator[Edge]:
    """Yield the beginning and the end of each predefined variable."""
    for known in list_known_names():
        if known.kind == "variable":
            yield from edges_of(known.kind, None, known.name, known.lifetime)
