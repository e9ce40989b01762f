"""Two samplers, or one in two installed versions, asked the same: what differs, and where."""
