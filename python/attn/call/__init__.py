"""A call of a kernel, from the values of Python to a launch, one module for each step.

`binding` gives each argument its name, `checking` holds them against the kernel's signature, `layout` says how they lie
in memory, `planning` keeps what calls of one form have in common, and `running` launches on the CPU, with the errors of
`hazards`; `attn.runtime` launches on NPUs, `attn.simulation` on the modelled chip. `interface` is what they know of a
kernel.
"""
