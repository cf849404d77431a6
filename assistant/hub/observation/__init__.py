"""What is known of the hub's calls afterwards: traces and metrics, without any words."""
