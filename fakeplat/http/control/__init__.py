"""The control routes under `/_fakeplat/`. Importing the package declares all of them."""

from fakeplat.http.control import (  # noqa: F401  # declare routes
    bench,
    clock,
    console,
    documents,
    outgoing,
    worlds,
)
