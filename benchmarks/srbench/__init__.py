"""What SRBench asks of a method: the files of its folder algorithms/gramarye."""
