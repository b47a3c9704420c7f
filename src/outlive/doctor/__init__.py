"""Will TensorFlow live here? The machine, the installation, the cluster."""
