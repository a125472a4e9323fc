"""The book's questions about memory, each as a text of arrays and options that a user would type.

`quantity` is the place of the answer in the JSON of `memory`. names: what the record's formula calls what the text calls
otherwise. found: relations of the record's prose, such as NH = D, put into our formula.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_ADAM = "w: bf16[P{0}]\nm: f32[P{0}]\nv: f32[P{0}]\n"
_GATED = "W_in1[L, D, F]; W_in2[L, D, F]; W_out[L, F, D]\n"
_ATTENTION = "W_Q[L, D, N, H]; W_K[L, D, {0}, H]; W_V[L, D, {0}, H]; W_O[L, N, H, D]\n"
_CHECKPOINTS = "Z_1[L, B{0}, D]; Z_2[L, B{0}, F]; Z_3[L, B{0}, F]\n"
_CACHE = "W: {0}[P_X]\nKV: {0}[2, L, B, T_X, K, H]\n"
_70B = {"P": 7e10, "L": 80, "T": 8192, "K": 8, "H": 128}


_NONE: Mapping[str, Any] = MappingProxyType({})


class Asked(NamedTuple):
    """One question. sizes: beside those of the record; mesh: its sizes, or axes of open size."""

    text: str
    quantity: str
    mesh: str | None = None
    sizes: Mapping[str, float] = _NONE
    variable: str | None = None
    names: Mapping[str, str] = _NONE
    found: Mapping[str, str] = _NONE
    uneven: bool = False

    def options(self, record: dict[str, Any], *, known: bool) -> dict[str, Any]:
        """Return the keywords of `memory`. known: with all sizes; else formulas keep them open."""
        constants = {**(record["sizes"] or {}), **record["expected"].get("constants", {})}
        words = (
            self.text.replace("_", " ").replace("[", " ").replace("]", " ").replace(",", " ").replace("\n", " ").split()
        )
        sizes = {name: value for name, value in {**constants, **self.sizes}.items() if name in words}
        sizes = {name: value for name, value in sizes.items() if f"{name}=" not in (self.mesh or "")}
        options = {"mesh": self.mesh, "sizes": sizes, "uneven": self.uneven} if known else {}
        options["hardware"] = record["hardware"]
        return {name: value for name, value in options.items() if value}


ASKED = {
    "sh-mem-local2": Asked("A[B_X, D_Y]", "resident.elements_per_device", "X=4,Y=2"),
    "sh-mem-local3": Asked("A[I_{XY}, J]", "arrays.0.pieces", "X=4,Y=8"),
    "sh-q7-mem": Asked(
        "W_in[D, F_{XY}]\nW_out[F_{XY}, D]", "resident.bytes_per_device", "X=2,Y=2", found={"X": "2", "Y": "2"}
    ),
    "tf-q1-params": Asked(
        _GATED + _ATTENTION.format("N") + "g[L, D]\nE[V, D]; U[D, V]",
        "resident.elements",
        sizes={"N": 32, "H": 128},
        found={"N": "D/H"},
    ),
    "tf-q1-kv": Asked("KV: int8[2, L, N, H]", "resident.bytes_one_copy", sizes={"N": 32, "H": 128}, found={"N": "D/H"}),
    "tf-kv8k": Asked("KV: int8[2, S, L, K, H]", "resident.bytes_one_copy"),
    "tf-remat": Asked("A[20, L, T, D]", "resident.bytes_one_copy"),
    "tr-q1": Asked(_GATED + _ATTENTION.format("N") + "E[V, D]; U[D, V]", "resident.elements"),
    "tr-q2": Asked(_CHECKPOINTS.format(""), "resident.bytes_one_copy"),
    "tr-q2b": Asked(_ADAM.format(""), "resident.bytes_one_copy"),
    "tr-q3-mem": Asked(
        _ADAM.format("_X") + _CHECKPOINTS.format("_X"),
        "resident.bytes_per_device",
        "X=4096",
        names={"n": "X"},
        uneven=True,
    ),
    "at-params": Asked(_GATED + _ATTENTION.format("K") + "E[V, D]; U[D, V]", "resident.elements"),
    "at-mem": Asked(_ADAM.format("") + "Z[L, ck, B, D]", "resident.bytes_one_copy"),
    "in-kv": Asked("KV[2, L, K, H, T]", "resident.bytes_one_copy"),
    "in-q1": Asked(_GATED + _ATTENTION.format("K") + "E[V, D]", "resident.elements"),
    "in-q1-kv": Asked("KV: int8[2, L, K, H]", "resident.bytes_one_copy"),
    "in-q2": Asked(
        _CACHE.format("int8"),
        "limits.0.whole",
        "X=16",
        {"P": 18.385e9, "L": 64, "K": 8, "H": 256},
        "B",
        found={"X": "16", "P": "18385000000", "L": "64", "K": "8", "H": "256", "M_hbm": "16000000000"},
    ),
    "in-q5-act": Asked(
        "W_in1[L, k, D, F]; W_in2[L, k, D, F]; W_out[L, k, F, D]\n" + _ATTENTION.format("K") + "E[V, D]",
        "resident.elements",
    ),
    "ai-kv": Asked("KV: int8[2, L, K, H]", "resident.bytes_one_copy"),
    "ai-tot": Asked(
        "W: int8[P]\nKV: int8[2, L, B, T, K, H]",
        "resident.bytes_one_copy",
        sizes={"P": 7e10},
        found={"P": "70000000000"},
    ),
    "gp-9": Asked(_ADAM.format("_X"), "limits.0.whole", "X", variable="X", names={"hbm": "M_hbm"}),
    "gp-87": Asked(_ADAM.format("_X"), "resident.bytes_per_device", "X=8", found={"X": "8"}),
} | {
    f"ai-min-{dtype}": Asked(
        _CACHE.format(dtype),
        "limits.0.value",
        f"X={chips}",
        _70B,
        "B",
        {"n": "X", "P": f"P*{width}", "bpe": width},
        {name: str(int(value)) for name, value in _70B.items() if name != "P"} | {"M_hbm": "16000000000"},
    )
    for dtype, chips, width in (("bf16", 16, "2"), ("int8", 8, "1"), ("int4", 4, "(1/2)"))
}


def answer(data: Any, quantity: str) -> Any:
    """Return the part of JSON at a place such as `limits.0.whole`."""
    for name in quantity.split("."):
        data = data[int(name)] if name.isdigit() else data[name]
    return data
