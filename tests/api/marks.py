"""Marks that several modules of tests share."""

import pytest

# The starter scenario on a Friday at nine; time passes only when a test advances the clock.
STARTER_AT_NINE = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z")
