"""Who may do what: who is looking, which level they have, which ability asks for which level."""
