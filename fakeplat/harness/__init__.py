"""The test harness: worlds, their servers, and the pytest fixtures that provide them."""
