"""Run the command line interface with ``python -m fakeplat``."""

from fakeplat.cli import main

main()
