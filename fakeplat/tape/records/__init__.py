"""Records in recorded sessions: their kinds, JSON, and the requests that contain them."""
