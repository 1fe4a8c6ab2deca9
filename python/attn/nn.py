"""Modules for PyTorch on top of `attn.ops`."""

from __future__ import annotations

import torch

from . import ops
from .ops._attention import check_scale, is_integer
from .ops.neighborhood import check_window

__all__ = ["NeighborhoodAttention", "NeighborhoodAttentionLayer"]


class NeighborhoodAttention(torch.nn.Module):
    """Multi-head self-attention over a window of positions: projections around `attn.ops.neighborhood_attention`.

    `forward` takes and gives [B, S, hidden_size]. Dropout acts on the merged heads, before the output projection.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        kernel_size: int = 7,
        dilation: int = 1,
        bias: bool = True,
        dropout: float = 0.0,
        scale: float | None = None,
    ):
        super().__init__()
        for name, size in (("hidden_size", hidden_size), ("num_heads", num_heads)):
            if not is_integer(size):
                raise TypeError(f"{name}: an integer is expected, not {size!r}")
        if hidden_size <= 0:
            raise ValueError(f"hidden_size ({hidden_size}) must be positive")
        if num_heads <= 0 or hidden_size % num_heads:
            raise ValueError(f"hidden_size ({hidden_size}) must be divisible by num_heads ({num_heads})")
        check_window(kernel_size, dilation)
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.scale = check_scale(scale, hidden_size // num_heads)
        self.q_proj = torch.nn.Linear(hidden_size, hidden_size, bias=bias)
        self.k_proj = torch.nn.Linear(hidden_size, hidden_size, bias=bias)
        self.v_proj = torch.nn.Linear(hidden_size, hidden_size, bias=bias)
        self.out_proj = torch.nn.Linear(hidden_size, hidden_size, bias=bias)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, hidden_states, attention_mask=None):
        if attention_mask is not None:
            raise NotImplementedError("Attention mask is not yet supported")
        if hidden_states.dim() != 3 or hidden_states.shape[-1] != self.hidden_size:
            shape = tuple(hidden_states.shape)
            raise ValueError(f"hidden_states {shape} must have the shape [B, S, {self.hidden_size}]")
        # Heads stay where the projections wrote them: kernels read and write [B, S, H, D] in place.
        q, k, v = (
            project(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        heads = ops.neighborhood_attention(q, k, v, self.kernel_size, self.dilation, self.scale)
        return self.out_proj(self.dropout(heads.transpose(1, 2).flatten(2)))

    def extra_repr(self):
        return (
            f"hidden_size={self.hidden_size}, num_heads={self.num_heads}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}"
        )


class NeighborhoodAttentionLayer(torch.nn.Module):
    """`x + dropout(attention(layer_norm(x)))` with `NeighborhoodAttention`."""

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        kernel_size: int = 7,
        dilation: int = 1,
        bias: bool = True,
        dropout: float = 0.0,
        layer_norm_eps: float = 1e-5,
        scale: float | None = None,
    ):
        super().__init__()
        self.attention = NeighborhoodAttention(hidden_size, num_heads, kernel_size, dilation, bias, dropout, scale)
        self.layer_norm = torch.nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, hidden_states, attention_mask=None):
        attended = self.attention(self.layer_norm(hidden_states), attention_mask)
        return hidden_states + self.dropout(attended)
