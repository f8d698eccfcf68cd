"""Many plausible things at once, decided by the seed: what a scenario's `generate` list asks for."""
