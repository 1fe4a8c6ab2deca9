"""The kernels, one family per file, in the tile language of the package attn."""
