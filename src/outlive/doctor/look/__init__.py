"""The doctor's eyes: read the machine, the installation and the cluster, and make the view that checks are asked of."""
