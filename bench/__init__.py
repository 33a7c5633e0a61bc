"""Speed, ours and our rivals': `make bench`."""
