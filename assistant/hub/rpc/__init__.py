"""The hub's calls over gRPC."""
