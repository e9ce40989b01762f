"""What is tested: found, bound to its parameters, sent to other processes and traced back to its source."""
