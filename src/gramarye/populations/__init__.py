"""What is known of individuals: their evaluation, and the population that parts of a method see."""
