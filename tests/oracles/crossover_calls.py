"""By which call each record of the book about a crossover or an optimum is answered, where its plan alone does not say.

A plan that a record has in words, or leaves out, is written out here; its figures are those of the record.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_BLOCK = "In[B_X,D_Y] ·_D W_in[D_X,F_Y] ·_F W_out[F_Y,D_X] -> Out[B_X,D_Y]"
_FSDP = "In[B_X,D] ·_D W_in[D_X,F] ·_F W_out[F,D_X] -> Out[B_X,D]"
_TENSOR = "In[B,D_Y] ·_D W_in[D,F_Y] ·_F W_out[F_Y,D] -> Out[B,D_Y]"
_TENSOR_3D = "In[B,D_{XYZ}] ·_D W_in[D,F_{XYZ}] ·_F W_out[F_{XYZ},D] -> Out[B,D_{XYZ}]"
_BACKWARD = """
dOut[B_X,D] · W_out[F,D] -> dH[B_X,F]
H[B_X,F] ·_B dOut[B_X,D] -> dW_out[F,D]
dH[B_X,F] · W_in[D,F] -> dIn[B_X,D]
In[B_X,D] ·_B dH[B_X,F] -> dW_in[D,F]
"""
_STATIONARY = """
AllGather_{YZ}(In[B,D_{XYZ}]) -> In[B,D_X]
Tmp[B,F_{YZ}]{U_X} = In[B,D_X] ·_D W_in[D_X,F_{YZ}]
AllReduce_X(Tmp[B,F_{YZ}]{U_X}) -> Tmp[B,F_{YZ}]
Out[B,D_X]{U_{YZ}} = Tmp[B,F_{YZ}] ·_F W_out[F_{YZ},D_X]
ReduceScatter_{YZ,D}(Out[B,D_X]{U_{YZ}}) -> Out[B,D_{XYZ}]
"""
_REDUCE_LATE = "A[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\nAllReduce_X(C[B,F]{U_X}) -> C[B,F]"
_GATHER_FIRST = "AllGather_X W[D_X,F] -> W[D,F]\nA[B,D] ·_D W[D,F] -> C[B,F]"
_ATTENTION = "let S = T\nQ[B,T,N,H] · K[B,S,N,H] -> P[B,T,S,N]\nP[B,T,S,N] ·_S V[B,S,N,H] -> O[B,T,N,H]"
_PROJECTIONS = "\n".join(
    [*(f"X[B,T,D] · W{name}[D,N,H] -> {name}[B,T,N,H]" for name in "QKV"), "O[B,T,N,H] · WO[N,H,D] -> Z[B,T,D]"]
)
# The weights of E experts are gathered; of the tokens each takes part in K products.
_EXPERTS = """
AllGather_X W_in[E,D_X,F] -> W_in[E,D,F]
AllGather_X W_out[E,F,D_X] -> W_out[E,F,D]
In[B_X,K,D] · W_1[D,F] -> H[B_X,K,F]
H[B_X,K,F] · W_2[F,D] -> Out[B_X,K,D]
"""
# A pending gradient of a model whose shard is a pipeline of 8 nodes: each of the 64 GPUs reduces its own part.
_SHARDED_GRADIENT = """
dOut[B_X,D] ·_D W_out[F_{YZ},D] -> dH[B_X,F_{YZ}]
H[B_X,F_{YZ}] ·_B dOut[B_X,D] -> dW_out[F_{YZ},D]
dIn[B_X,D]{U_{YZ}} = dH[B_X,F_{YZ}] ·_F W_in[D,F_{YZ}]
In[B_X,D] ·_B dH[B_X,F_{YZ}] -> dW_in[D,F_{YZ}]
"""
# Decoding reads the weights, and gathers the activations.
_READ_WEIGHTS = "W_in[D,F_Y]\nAllGather_Y In[B,D_Y] -> In[B,D]"
_MIXED_ON_V5P = {"topology": {"X": "ring:2", "Y": "ring"}, "hardware": "tpu-v5p"}
_WIDE = {"mesh": "X,Y,Z", "comms": "sum"}


class Call(NamedTuple):
    """function: of `shardlang`. arguments: after the text. take: what of the answer is compared with the record.

    `t_comms` (or another formula of `cost`), `crossover` (the threshold and its number), `optimum`, `objective`.
    letters: what the letters of the record are called in the answer. between: the pair, where there are several.
    relation: where the record has none.
    """

    function: str
    text: str
    arguments: tuple[str, ...] = ()
    keywords: Mapping[str, Any] = MappingProxyType({})
    take: str = "crossover"
    letters: Mapping[str, str] = MappingProxyType({})
    between: tuple[str, str] = ("math", "ici:X")


def _over(text: str, variable: str, letters: dict[str, str] | None = None, between: str = "ici:X", **more: Any) -> Call:
    keywords = {"roofs": "math,ici", **more}
    return Call("crossover", text, (variable,), keywords, "crossover", letters or {}, ("math", between))


def _split(variable: str, letters: dict[str, str], comms: str = "max", **more: Any) -> Call:
    keywords = {"crossover": variable, "comms": comms, "roofs": "math,ici", **more}
    return Call("optimum", _BLOCK, ("X*Y = N", "X"), keywords, "crossover", letters, ("math", "ici"))


def _decoding(sizes: dict[str, float]) -> Call:
    """Return the call for a ratio of W_hbm to W_ici that is rounded to 8."""
    keywords = {"hardware": "tpu-v5e", "sizes": {**sizes, "W_hbm": 8 * 9e10}}
    return Call("crossover", _READ_WEIGHTS, ("Y",), keywords, "crossover", {"beta": "W_hbm/W_ici"}, ("hbm", "ici:Y"))


_ALPHA = {"alpha": "C/W_ici", "M": "2"}
CALLS = {
    "tr-mx-fsdp": Call("cost", _BLOCK, (), {"topology": "X=ring:M_X,Y=ring:M_Y"}, "group X"),
    "tr-mx-tp": Call("cost", _BLOCK, (), {"topology": "X=ring:M_X,Y=ring:M_Y"}, "group Y"),
    "tr-mx-max": Call("cost", _BLOCK, (), {"topology": "X=ring:M_X,Y=ring:M_Y"}, "t_comms"),
    "tr-dp-comms": Call("cost", _BACKWARD, (), {}, "t_comms"),
    "tr-2550": _over(_BACKWARD, "B/X", hardware="tpu-v5p"),
    "tr-850": _over(_BACKWARD, "B/X", hardware="tpu-v5p", topology="X=ring:3"),
    "tr-7.6M": _over(_BACKWARD, "B", {"N": "X"}, hardware="tpu-v5p", topology="X=ring:3", sizes={"X": 8960}),
    "tr-47k": _over(_FSDP, "X", hardware="tpu-v5p", topology="X=ring:3", sizes={"B": 40000000}),
    "tr-18823": _over(_FSDP, "X", hardware="tpu-v5p", topology="X=ring:3", sizes={"B": 16000000}),
    "ai-22": _over(_TENSOR, "Y", {"M": "2"}, "ici:Y", hardware="tpu-v5e", topology="Y=ring:2", sizes={"F": 28672}),
    "at-fsdp": _over(
        _FSDP,
        "B/X",
        {"N": "X"},
        hardware="tpu-v5p",
        topology="X=ring:3",
        uneven=True,
        sizes={"B": 4 * 1024 * 1024, "X": 8960},
    ),
    "gp-dp-llama": _over(
        _BACKWARD, "B", {"W": "W_node"}, "scale-out:X", topology="X=scale-out", hardware="h100", sizes={"X": 16000}
    ),
    "gp-dp-ds": _over(
        _BACKWARD,
        "B",
        {"W": "W_node"},
        "scale-out:X",
        topology="X=scale-out",
        hardware="h100",
        sizes={"X": 2048, "W_node": 3e11},
    ),
    "gp-dp-small": _over(
        _BACKWARD.replace("B_X", "B_{XY}"),
        "B/(X*Y)",
        {"W_collective": "W_node"},
        "scale-out:X",
        topology="X=scale-out,Y=node",
        mesh="X,Y",
        model="exact",
    ),
    "gp-dp-2": _over(
        _BACKWARD.replace("B_X", "B_{XY}"),
        "B/(X*Y)",
        {"W": "W_node"},
        "scale-out:X",
        topology="X=scale-out,Y=node",
        mesh="X=2,Y=8",
        model="exact",
        hardware="h100",
    ),
    "gp-tp-2": _over(
        _TENSOR,
        "Y",
        {"W": "W_node"},
        "scale-out:Y",
        topology="Y=node+scale-out",
        hardware="h100",
        sizes={"F": 28000},
    ),
    "gp-moe": _over(_EXPERTS, "B/X", {"W_collective": "W_node", "k": "K"}, "scale-out:X", topology="X=scale-out"),
    "gp-moe-n": _over(
        _EXPERTS,
        "B/X",
        {"W": "W_node", "k": "K"},
        "scale-out:X",
        topology="X=scale-out",
        hardware="h100",
        sizes={"E": 128, "K": 4},
    ),
    "gp-pp8": _over(
        _SHARDED_GRADIENT,
        "B/(X*Y*Z)",
        {"W": "W_node"},
        "scale-out:X",
        topology="X=scale-out,Y=scale-out,Z=node",
        mesh="X,Y=8,Z=8",
        hardware="h100",
    ),
    "in-ici-hbm": Call("crossover", _READ_WEIGHTS, ("Y",), {}, between=("hbm", "ici:Y")),
    "in-64": _decoding({"F": 16384, "B": 32}),
    "ai-56": _decoding({"F": 28672, "B": 64}),
    "sh-lat-buf": Call(
        "crossover",
        "AllGather_Y(In[B,D_Y])",
        ("B*D/Y",),
        {"latency": True, "dtype": "int8", "hardware": "tpu-v5e"},
        between=("latency:Y", "bandwidth:Y"),
    ),
    "in-lat-y": Call(
        "crossover",
        "AllGather_Y(In[B,D_Y])",
        ("Y",),
        {"latency": True, "dtype": "int8"},
        between=("latency:Y", "bandwidth:Y"),
    ),
    "sh-q4-x4": Call(
        "crossover", _REDUCE_LATE, ("D",), {"against": _GATHER_FIRST, "of": "t_comms"}, between=("against", "plan")
    ),
    "sh-q4-x3n": Call(
        "crossover",
        _REDUCE_LATE,
        ("D",),
        {"against": _GATHER_FIRST, "of": "t_lower", "roofs": "math,ici", "hardware": "tpu-v5p"},
        between=("against", "plan"),
    ),
    "tf-q5": Call(
        "crossover", _PROJECTIONS, ("T",), {"against": _ATTENTION, "of": "flops"}, between=("against", "plan")
    ),
    "tr-opt": Call("optimum", _BLOCK, ("X*Y = N", "X"), {"topology": "X=ring:M_X,Y=ring:M_Y"}, "optimum"),
    "tr-opt-1": Call(
        "optimum",
        _BLOCK,
        ("X*Y = N", "X"),
        {"topology": "X=ring:2,Y=ring", "sizes": {"B": 48000, "F": 32768, "N": 64}},
        "optimum",
        {"M_X": "2", "M_Y": "1"},
    ),
    "tr-opt-2": Call(
        "optimum",
        _BLOCK,
        ("X*Y = N", "X"),
        {"topology": "X=ring:2,Y=ring", "sizes": {"B": 3000000, "F": 13824, "N": 4096}},
        "optimum",
        {"M_X": "2", "M_Y": "1"},
    ),
    "at-opt": Call(
        "optimum",
        _BLOCK,
        ("X*Y = N", "X"),
        {"topology": "X=ring:2,Y=ring", "sizes": {"B": 4190000, "F": 28672, "N": 8960}},
        "optimum",
        {"M_X": "2", "M_Y": "1"},
    ),
    "tr-mx-x-sum": _split("B/N", {"alpha": "C/W_ici"}, "sum", topology="X=ring:M_X,Y=ring:M_Y"),
    "tr-mx-99": _split("B/N", _ALPHA, sizes={"F": 32768}, **_MIXED_ON_V5P),
    "tr-q3-mx": _split("B/N", _ALPHA, sizes={"F": 13824}, **_MIXED_ON_V5P),
    "at-mx-453": _split("B/N", _ALPHA, "sum", sizes={"F": 28672}, **_MIXED_ON_V5P),
    "tr-fig": _split("B", _ALPHA, "sum", sizes={"F": 32768, "N": 4096}, **_MIXED_ON_V5P),
    "in-2d-min": Call("optimum", "let F = 4*D\n" + _STATIONARY, ("X*Y*Z = N", "X"), _WIDE, "objective"),
    "in-2d-x": Call(
        "optimum",
        _STATIONARY,
        ("X*Y*Z = N", "X"),
        {**_WIDE, "against": _TENSOR_3D, "crossover": "N"},
        between=("against", "plan"),
    ),
    "in-2d-n": Call(
        "optimum",
        "let F = 4*D\n" + _STATIONARY,
        ("X*Y*Z = N", "X"),
        {**_WIDE, "against": _TENSOR_3D, "crossover": "N"},
        between=("against", "plan"),
    ),
}
