"""Simulators and generators of made-up worlds; they know nothing of agents, models or prompts."""
