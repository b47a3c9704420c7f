"""Look at a cluster: who is in it, an agent on each host, and what one host measures through them."""
