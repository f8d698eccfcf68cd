"""Pages: the domains under which the pages of projects would be served."""
