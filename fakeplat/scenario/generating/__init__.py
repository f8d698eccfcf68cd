"""Generation of many plausible records from the seed, for the `generate` list of a scenario."""
