"""What is done with the core. Each folder reads the core alone, and none knows another; interpreter/ is the meaning."""
