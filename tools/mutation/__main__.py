"""Test the tests: change abilities, or modules of the package, and report the changes that no test detects.

The arguments are names of abilities (none: all), or paths: modules or folders of the package, and the tests to run.
Without tests, those that concern a module are chosen by their imports and names. The exit status is 1 if more mutants
survive than the kind allows.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path


def main() -> int:
    parser = ArgumentParser(prog="make mutate", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ABILITY | PATH")
    parser.add_argument("--sample", type=int, metavar="N", help="test N mutants of each module, the same in each run")
    options = parser.parse_args()
    paths = [Path(name) for name in options.names if "/" in name or name.endswith(".py")]
    # The modules of the package are imported for the first kind only: a mutant must be the first to import its module.
    if paths:
        from tools.mutation import modules

        return modules.test_modules(paths, options.sample)
    from tools.mutation import abilities

    return abilities.test_abilities(options.names)


if __name__ == "__main__":
    sys.exit(main())
