"""What releases do differently with a configuration besides its keywords, by name.

What begins or ends as a keyword or value has its releases where it is declared, in `validation`.
"""

from typing import Final, Literal

from fakeplat.core.release import Behaviour, ByRelease

CHANGES_WITH_VARIABLES: Final = Behaviour("13.6", source="doc/ci/yaml of 15.10: rules:changes")
LISTS_OF_FILES: Final = Behaviour("13.8", source="doc/ci/yaml of 15.10: include:file, flag removed in 13.8")
REFERENCE_TAGS: Final = Behaviour("13.9", source="doc/ci/yaml/yaml_optimization.md: !reference")
NEEDS_WITHIN_STAGES: Final = Behaviour("14.2", source="doc/ci/yaml of 15.10: needs")
TAGS_WITH_VARIABLES: Final = Behaviour("14.1", source="doc/ci/yaml: tags with variables introduced in 14.1")
RULES_OF_INCLUDES: Final = Behaviour("14.3", source="doc/ci/yaml/includes.md")
EXISTS_WITH_VARIABLES: Final = Behaviour("15.6", source="doc/ci/yaml of 15.10: rules:exists")
NESTED_VARIABLES_IN_PATHS: Final = Behaviour("<=19.3", source="variables_hash_expanded in lib/gitlab/ci/build/rules/**")
MERGED_TEXT_HAS_PLAIN_KEYS: Final = Behaviour("<=16.11", source="doc/api/lint.md of 16.11: merged_yaml")
"""The keys of the merged text are no symbols of Ruby."""
HEADERS: Final = Behaviour("15.11", source="doc/ci/yaml of 18.6: spec")
VARIABLES_OF_INCLUDES: Final = Behaviour("13.9", source="doc/ci/yaml/includes.md: variables with include")
TRUNCATION_OF_INPUTS: Final = Behaviour("16.3", source="doc/ci/yaml of 18.6: truncate")
EXPANSION_OF_INPUTS: Final = Behaviour("16.5", source="doc/ci/yaml of 18.6: expand_vars")
POSIX_ESCAPES: Final = Behaviour("18.6", source="doc/ci/yaml of 18.6: posix_escape")
SPLITTING_OF_INPUTS: Final = Behaviour("<=19.3", source="lib/gitlab/ci/config/interpolation/functions/split.rb")
MATRIX_BLOCKS: Final = Behaviour("18.6", source="doc/ci/yaml/matrix_expressions.md")
INDEXED_INPUTS: Final = Behaviour("18.11", source="doc/ci/inputs of 19.3: array index operator")
STAGES_ARE_NAMED: Final = Behaviour("<=18.6", source="lib/gitlab/ci/yaml_processor.rb")
CIRCLES_ARE_NAMED: Final = Behaviour("<=18.6", source="lib/gitlab/ci/yaml_processor/dag.rb")
DUPLICATE_NEEDS: Final = Behaviour("<=18.6", source="lib/gitlab/ci/yaml_processor.rb: validate_needs_specification")
MISSING_OPTIONAL_NEEDS: Final = Behaviour("15.11", source="doc/ci/yaml/includes.md: include:rules and needs")

INPUTS_ARE_CONVERTED: Final = Behaviour("<=18.6", source="lib/ci/inputs of 18.6: coerced_value")

WILDCARDS_OF_INCLUDES: Final = Behaviour("13.12", source="doc/ci/yaml of 13.12: include:local with wildcard file paths")
PATHS_WITHOUT_SLASH: Final = Behaviour("<=16.0", source="lib/gitlab/ci/config/external/file/local.rb")
SUBKEYS_OF_INCLUDES: Final = Behaviour("<=15.11", source="lib/gitlab/ci/config/external/mapper/matcher.rb")

HIDDEN_PROJECT: Final = ByRelease(
    {
        "13.5": "Project `{project}` not found or access denied!",
        "<=15.11": "Project `{project}` not found or access denied! "
        "Make sure any includes in the pipeline configuration are correctly defined.",
    },
    source="lib/gitlab/ci/config/external/file/project.rb",
)
MISSING_REMOTE_FILE: Final = ByRelease(
    {
        "13.5": "Remote file `{location}` could not be fetched because of HTTP code `404` error!",
        "<=18.11": "Remote file `{location}` could not be fetched after 1 attempt because of HTTP code `404` error!",
    },
    source="lib/gitlab/ci/config/external/file/remote.rb",
)
NO_CONFIGURATION: Final = ByRelease(
    {
        "13.5": "Included file `{location}` does not have valid YAML syntax!",
        "<=19.3": "Included file `{location}` contains no configuration!",
    },
    source="lib/gitlab/ci/config/external/file/base.rb",
)
UNDECLARED_INPUTS: Final = ByRelease(
    {
        "15.11": "unknown input arguments",
        "<=17.0": "Given inputs not defined in the `spec` section of the included configuration file",
    }
)
WRONG_BLOCK: Final = ByRelease(
    {
        "15.11": "invalid interpolation access pattern",
        "<=17.0": "invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]",
    }
)
UNKNOWN_BLOCK: Final = ByRelease(
    {
        "15.11": "unknown interpolation key: `{key}`",
        "<=17.0": "unknown input name provided: `{key}` in `{access}`",
        "<=18.6": "unknown interpolation provided: `{key}` in `{access}`",
    }
)
FILTERED: Final = ByRelease(
    {
        "13.5": "Pipeline filtered out by workflow rules.",
        "<=17.7": "The pipeline did not run. Review the workflow:rules configuration for the pipeline.",
    },
    source="app/models/concerns/ci/has_completion_reason.rb",
)
NO_JOBS: Final = ByRelease(
    {
        "13.5": "No stages / jobs for this pipeline.",
        "<=17.1": "Pipeline will not run for the selected trigger. "
        "The rules configuration prevented any jobs from being added to the pipeline.",
        "<=17.7": "The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.",
    },
    source="lib/gitlab/ci/pipeline/chain/populate.rb, app/models/concerns/ci/has_completion_reason.rb",
)
MOST_INCLUDES: Final = ByRelease({"13.5": 100, "15.10": 150})
# The platform stops comparing at this number, and takes the condition for true.
MOST_COMPARISONS: Final = ByRelease({"13.5": 10_000, "17.7": 50_000})
SAME_INCLUDE: Final[ByRelease[Literal["refused", "ignored", "repeated"]]] = ByRelease(
    {"13.5": "refused", "14.9": "ignored", "15.10": "repeated"}
)
