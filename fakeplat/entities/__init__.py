"""Views: how records are serialized, and for whom. Fuller views inherit from simpler ones."""
