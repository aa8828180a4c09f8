"""`seaspec simulate`: random_plays.py on threads or in processes, cluster.py on a Ray cluster, histogram.py."""
