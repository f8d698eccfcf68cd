"""CI: pipelines, their jobs, and what starts and configures them."""
