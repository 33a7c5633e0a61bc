"""Published studies, reproduced."""
