"""`python -m fakeplat` is `fakeplat`."""

from fakeplat.cli import main

main()
