"""Work that is handed out by leases, to shards or to actors: the cut, one file for the results of each lease, what they amount to."""
