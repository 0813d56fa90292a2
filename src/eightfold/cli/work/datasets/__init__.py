"""Datasets: folders of tables and text, checked and repaired piece by piece, by processes here or by a cluster."""
