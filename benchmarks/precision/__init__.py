"""int8 beside float32 for the networks that ship."""
