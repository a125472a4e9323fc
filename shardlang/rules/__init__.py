"""Rules: what holds of one local operation or collective, and the types of a plan. Nothing here chooses."""
