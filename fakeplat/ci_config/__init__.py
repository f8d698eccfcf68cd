"""CI configuration files: reading, validation, and the jobs of a pipeline for a ref."""
