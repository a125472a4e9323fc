"""One row for every construct of the notation: spelling, canonical form, and plan or finding.

The expected values are read off the specification of the notation, section by section; what it has and this version
does not do yet stands here too (codes SL9…). A text may have several lines; `canonical` is that of its last statement.
`output` and `moves` are what the last statement gives: its result and the collectives and free steps of its plan. The
name `_` in an output stands for any. `codes` are findings that must be there; a text with none of severity error is accepted.
"""

from typing import Any, NamedTuple

import pytest

import shardlang
from tests.oracles.notation import COLLECTIVES, FREE_STEPS, read_array, read_arrays, read_move


class Row(NamedTuple):
    """A construct: its text and what the notation says of it."""

    text: str
    canonical: str | None = None
    output: str | None = None
    moves: tuple[str, ...] | None = None
    codes: tuple[str, ...] = ()
    options: dict[str, Any] | None = None


def plan(
    text: str, output: str, *moves: str, canonical: str | None = None, codes: tuple[str, ...] = (), **options: Any
) -> Row:
    """A text that is accepted, and its plan."""
    return Row(text, canonical, output, moves, codes, options)


def spelled(text: str, canonical: str, **options: Any) -> Row:
    """Another way to write what `canonical` says."""
    return Row(text, canonical, options=options)


def finding(text: str, *codes: str, canonical: str | None = None, **options: Any) -> Row:
    """A text with a finding."""
    return Row(text, canonical, codes=codes, options=options)


_PRODUCT = "A[I, J] · B[J, K] -> C[I, K]"
_XY = "mesh X=4, Y=2\n"
_NAMES = "mesh data=4, model=2\n"

# --- 1. What a sharded array means ----------------------------------------------------------------

MEANING = [
    spelled("A[I, J]", "A[I, J]"),
    spelled("A[I_X,J]", "A[I_X, J]"),
    spelled("A[I,J]{U_X}", "A[I, J]{U_X}"),
    spelled("A[I]{max_X}", "A[I]{max_X}"),
    spelled("A[I]{min_X}", "A[I]{min_X}"),
    spelled("A[I_{XY}]", "A[I_{XY}]"),
    spelled("A[I_{YX}]", "A[I_{YX}]"),
    finding("A[I_X, J_X]", "SL201"),
    finding("A[I_{XX}]", "SL201"),
    finding("A[I_X]{U_X}", "SL202"),
    finding("A[I, I]", "SL204"),
    finding("A[I]{U_X, max_Y}", "SL210"),
    finding("mesh X=4\nlet I = 6\nA[I_X]", "SL205"),
    finding("mesh X=4\nlet I = 6\nA[I_X]", "SL218", uneven=True),
    finding(_XY + "A[I_W]", "SL203"),
    # One letter may be array, dimension and mesh axis.
    plan("B[B_B, D] · W[D, F] -> X[B_B, F]", "X[B_B, F]"),
    # A name is a value: collectives and reshards add layouts, earlier ones stay usable.
    plan(
        "AllGather_X W[D_X, F] -> W[D, F]\nW[D_X, F] -> W[D, F_X]", "W[D, F_X]", "AllToAll_{X,F} W[D_X, F] -> W[D, F_X]"
    ),
    finding("A[I_X] -> A[I]\nB[I_Y] = gelu(A[I_Y])", "SL403"),
    finding("A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}\nD[I, K] = gelu(C[I, K])", "SL401"),
    finding("A[I, J] · B[J, K] -> C[I, K]\nD[I, L] = gelu(C[I, L])", "SL402"),
    plan("A[I] + b[I] -> C[I]\nC[J] = gelu(D[J])\nE[J] = gelu(C[J])", "E[J]"),
    plan("AllGather_X [I_X, J] -> A[I, J]", "A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
    # A refused statement leaves its result unknown: one finding, not two.
    finding("A[I, J] · B[J, K] -> C[I, L]\nD[Q] = gelu(C[Q])", "SL213"),
]

# --- 2. How it is written -------------------------------------------------------------------------

STATEMENTS = [
    spelled("A[I]; B[J]", "B[J]"),
    spelled("A[I]  # a comment", "A[I]"),
    spelled("A[I,\n  J]", "A[I, J]"),
    finding("A[I, J\nB[K]", "SL102", canonical="B[K]"),
    spelled("A[I, J] ·\n  B[J, K] -> C[I, K]", _PRODUCT),
    spelled("A[I, J]\n  · B[J, K]\n  -> C[I, K]", _PRODUCT),
    spelled(r"A[I] \\ B[J]", "B[J]"),
    spelled("$A[I]$ $B[J]$", "B[J]"),
    spelled("Z[B, F] = gelu(X[B, D] · W[D, F] + b[F])", "Z[B, F] = gelu(X[B, D] · W[D, F] + b[F])"),
    spelled("Z[I] = A[I] + B[I] * C[I] / 2 - D[I]", "Z[I] = A[I] + B[I] · C[I] / 2 - D[I]"),
    spelled("Z[I] = -(A[I] + B[I]) * 2", "Z[I] = -(A[I] + B[I]) · 2"),
    plan("Z[I] = B[I] * C[I] * 2", "Z[I]"),
    spelled("Z[I] = sum_J A[I, J] + b[I]", "Z[I] = sum_J A[I, J] + b[I]"),
    finding("mesh X=4\nA[I_X]", "SL211", mesh={"X": 8}),
    finding("let I = 4\nA[I]", "SL211", sizes={"I": 8}),
    finding("hardware tpu-v5e\nA[I]", "SL211", hardware="tpu-v5p"),
    finding("dtype f32\nA[I]", "SL211", dtype="bf16"),
]

DECLARATIONS = [
    spelled("mesh X=4, Y=2", "mesh X=4, Y=2"),
    spelled("mesh {X: 4, Y: 2}", "mesh X=4, Y=2"),
    spelled("Mesh({'X': 4, 'Y': 2})", "mesh X=4, Y=2"),
    spelled("Mesh({\u2018X\u2019: 4, \u2018Y\u2019: 2})", "mesh X=4, Y=2"),
    spelled('Mesh({"X": 4, "Y": 2})', "mesh X=4, Y=2"),
    spelled("Mesh(mesh_shape=(4, 2), axis_names=('X', 'Y'))", "mesh X=4, Y=2"),
    spelled("Mesh(devices=((0, 1), (2, 3)), axis_names=('X', 'Y'))", "mesh X=2, Y=2"),
    spelled("mesh X=16 ring, Y=4 line", "mesh X=16 ring, Y=4 line"),
    spelled("hardware tpu-v5p", "hardware tpu-v5p"),
    spelled("dtype bfloat16", "dtype bf16"),
    spelled("let B = 4096, D = 8192, F = 4*D", "let B = 4096, D = 8192, F = 4*D"),
    spelled("W_in: int8[D_X, F_Y]", "W_in: int8[D_X, F_Y]"),
    finding("hardware tpu-v99\nA[I]", "SL501"),
    finding("mesh X=4\nmesh X=2", "SL206"),
    finding("let B = 1\nlet B = 2", "SL206"),
    finding("let B = 0", "SL207"),
    finding("let B = 9**9**9", "SL207"),
    finding("dtype f99", "SL209"),
    finding("mesh X = P*Q, P=4, Q=2", "SL904"),
    finding("rules batch -> X, mlp -> Y", "SL905"),
    finding("W_in[D_?, F_?]", "SL906"),
    finding("explicit\nA[I_X, J] -> A[I, J_X]", "SL301"),
    finding("A[I_X, J] -> A[I, J_X]", "SL301", explicit=True),
    # Reserved only at the start of a statement, and not before `[`, `=`, `:`.
    spelled("mesh[I, J]", "mesh[I, J]"),
    spelled("let[I] = gelu(A[I])", "let[I] = gelu(A[I])"),
    spelled("dtype: f32[I]", "dtype: f32[I]"),
]

OPERATIONS = [
    plan("In[B_X, D] · W[D, F_Y] -> Tmp[B_X, F_Y]", "Tmp[B_X, F_Y]"),
    plan("Out[B, F] = A[B, D] ·_D W[D, F]", "Out[B, F]", canonical="Out[B, F] = A[B, D] ·_D W[D, F]"),
    plan(
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}",
        "C[I, K]{U_X}",
        canonical="A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}",
    ),
    plan("AllGather_X(A[I_X, J]) -> A[I, J]", "A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
    plan("A[I_X, J] -> A[I, J_X]", "A[I, J_X]", "AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"),
    plan("A[I_X, J] -> T[J, I_X]", "T[J, I_X]"),
    plan("Z2[N_X, D] = gelu(Z[N_X, D] + b[D]) * 2", "Z2[N_X, D]", canonical="Z2[N_X, D] = gelu(Z[N_X, D] + b[D]) · 2"),
    plan("maximum(A[I], B[I]) -> C[I]", "C[I]"),
    plan("s[I]{U_X} = sum_J A[I, J_X]", "s[I]{U_X}"),
    plan("s[I] = mean_J A[I, J]", "s[I]"),
    plan("s[I] = max_J A[I, J]", "s[I]"),
    plan("s[I] = min_J A[I, J]", "s[I]"),
    plan("s[H]{U_{XY}} = sum_{B,S} A[B_X, S_Y, H]", "s[H]{U_{XY}}"),
    finding("P[B_X, S] = softmax_S(Q[B_X, S])", "SL903"),
    finding("P[B_X, S] = norm_S(Q[B_X, S])", "SL903"),
    finding("H[B_X, T, D]{U_Y} = take_V(E[V_Y, D], tok[B_X, T])", "SL902"),
    finding("A[B_X, T, D] -> R[(B T)_X, D]", "SL901"),
    finding("Q[B, (K G)_X, H] -> R[B, K_X, G, H]", "SL901"),
]

PRODUCTS = [
    *(
        spelled(f"A[I, J] {dot} B[J, K] -> C[I, K]", _PRODUCT)
        for dot in ("·", "⋅", "•", "×", "*", "@", r"\cdot", r"\times")
    ),
    *(
        spelled(f"A[I, J] {dot} B[J, K] -> C[I, K]", "A[I, J] ·_J B[J, K] -> C[I, K]")
        for dot in ("·_J", "·_{J}", "*_J", "*_{J}", r"\cdot_J", r"\cdot_{J}", "*<sub>J</sub>", r"\*_J")
    ),
    spelled("A[B, N, H] *_{N,H} W[N, H, D]", "A[B, N, H] ·_{N,H} W[N, H, D]"),
    *(
        spelled(f"A[I, J] {dot} B[J, K] -> C[I, K]", "A[I, J] ·_LOCAL B[J, K] -> C[I, K]")
        for dot in ("·_LOCAL", "·_{LOCAL}", r"\cdot_{LOCAL}", r"\cdot_\text{LOCAL}", r"\cdot_{\text{LOCAL}}")
    ),
    spelled("A[I, J] ·_{LOCAL,J} B[J, K]", "A[I, J] ·_{LOCAL,J} B[J, K]"),
    spelled("A[I, J] ⊙ B[I, J]", "A[I, J] ⊙ B[I, J]"),
    spelled(r"A[I, J] \odot B[I, J]", "A[I, J] ⊙ B[I, J]"),
    plan("A[I, J] ⊙ B[J, K]", "_[I, J, K]"),
    plan("A[I, J] * B[J, K]", "_[I, K]"),
    plan("A[I, J] * B[I, J] -> C[I, J]", "C[I, J]"),
    plan("A[I, J] ⊙ B[J, K] -> C[I, K]", "C[I, K]"),
    finding("A[I, J_X] ·_LOCALB[J_X, K] -> C[I, K]{U_X}", "SL104"),
]

ARROWS = [
    spelled(f"A[I, J] · B[J, K] {arrow} C[I, K]", _PRODUCT)
    for arrow in ("->", "→", "=>", r"\to", r"\rightarrow", r"\rightarrow &\ ")
] + [
    spelled("C[I, K] = A[I, J] · B[J, K]", "C[I, K] = A[I, J] · B[J, K]"),
    spelled(r"A[I_X, J] \rightarrow_\text{reshape} A[I, J_X]", "A[I_X, J] -> A[I, J_X]"),
]

SUBSCRIPTS = [
    *(spelled(f"A[{dim}]", "A[I_X]") for dim in ("I_X", "I_{X}", "I<sub>X</sub>", "I@X", "I@(X)")),
    *(spelled(f"A[{dim}]", "A[I_{XY}]") for dim in ("I_{XY}", "I_{X,Y}", "I_XY", "I<sub>XY</sub>", "I@(X,Y)")),
    *(spelled(f"{_XY}A[{dim}]", "A[I_{XY}]") for dim in ("I_{XY}", "I_{X,Y}", "I_XY", "I<sub>XY</sub>", "I@(X,Y)")),
    *(
        spelled(f"{_NAMES}A[{dim}]", "A[I_{data,model}]")
        for dim in ("I_{data,model}", "I@(data,model)", "I<sub>data,model</sub>")
    ),
    spelled(_NAMES + "A[I_data]", "A[I_data]"),
    spelled("A[I_data]", "A[I_data]"),
    spelled("mesh data_1=2, data=2\nA[I_data_1]", "A[I_{data_1}]"),
    spelled(_NAMES + "A[head_dim_data]", "A[head_dim_data]"),
    spelled("mesh X=2, XY=2\nA[I_{XYX}]", "A[I_{XY,X}]"),
    finding(_XY + "A[I_Q]", "SL203"),
    finding(_XY + "A[head_Q]", "SL203"),
    finding(_XY + "A[I_{W}]", "SL203"),
    spelled(_XY + "A[d_model, head_dim]", "A[d_model, head_dim]"),
    spelled("A[d_model, head_dim]", "A[d_model, head_dim]"),
    finding(_NAMES + "A[hidden_modl]", "SL212", canonical="A[hidden_modl]"),
]

UNREDUCED = [
    *(
        spelled(f"A[I]{suffix}", "A[I]{U_X}")
        for suffix in (
            "{U_X}",
            "<U_X>",
            "{U.X}",
            "{U:X}",
            r"\{U_X\}",
            r"\\{ U_X \\}",
            "{sum_X}",
            " { U_X }",
            r"\ \{ U_X \}",
            "{U<sub>X</sub>}",
            r"{\ U_X }",
        )
    ),
    *(spelled(f"A[I]{suffix}", "A[I]{U_{XY}}") for suffix in ("{U_{XY}}", "{U_X, U_Y}", "{U_XY}", "{U_{X,Y}}")),
]

LATEX_AND_HTML = [
    spelled("$A[I, J] \\cdot B[J, K] \\to C[I, K]$", _PRODUCT),
    spelled(r"\text{In}[B, D] \cdot W_\text{in}[D, F]", "In[B, D] · W_in[D, F]"),
    spelled(r"\text{In}[B, D] \cdot W_{\text{in}}[D, F]", "In[B, D] · W_in[D, F]"),
    spelled(r"\mathbf{A}[I, J] \cdot \textbf{B}[J, K] \rightarrow \mathbf{C}[I, K]", _PRODUCT),
    spelled(r"\textbf{AllGather}_X(A[I_X]) \rightarrow A[I]", "AllGather_X A[I_X] -> A[I]"),
    spelled(r"A[I,\,J]\ \cdot\ B[J, K] \rightarrow &\ C[I, K] \\", _PRODUCT),
    spelled("A'[I] + B''[I]", "A'[I] + B''[I]"),
    spelled(r"A[B, \red{D}] \cdot W_{in1}[\red{D}, F]", "A[B, D] · W_in1[D, F]"),
    spelled(r"A[B, \color{red}{D}] \cdot W[\textcolor{blue}{D}, F]", "A[B, D] · W[D, F]"),
    spelled("W<sub>in</sub>[D<sub>X</sub>, F]", "W_in[D_X, F]"),
    spelled(r"A[I, J] \*<sub>J</sub> B\[J, K\] -> C[I, K]", "A[I, J] ·_J B[J, K] -> C[I, K]"),
    spelled("**AllGather**<sub>X</sub>(A[I<sub>X</sub>]) -> A[I]", "AllGather_X A[I_X] -> A[I]"),
    spelled("A[I,\u00a0J]\u00a0·\u00a0B[J, K] → C[I, K]", _PRODUCT),
    spelled(r"\begin{align*} D[I_X] &\to D[I] \\ A[I, J] \cdot B[J, K] &\to C[I, K] \end{align*}", _PRODUCT),
]

COLLECTIVE_SPELLINGS = [
    *(
        spelled(f"{call} -> A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]")
        for call in (
            "AllGather_X(A[I_X, J])",
            "AllGather_X A[I_X, J]",
            "AllGather_X: A[I_X, J]",
            "all_gather_X(A[I_X, J])",
        )
    ),
    plan("AllGather_X[I_X, J] -> A[I, J]", "A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
    plan("AllGather(A[I_X, J]) -> A[I, J]", "A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
    plan("AllGather_X(A[I_X, J])", "A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
    spelled("psum_X(A[I]{U_X}) -> A[I]", "AllReduce_X A[I]{U_X} -> A[I]"),
    spelled("psum_scatter_{X,J}(A[I, J]{U_X}) -> A[I, J_X]", "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"),
    spelled("all_to_all_{X,J}(A[I_X, J]) -> A[I, J_X]", "AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"),
    plan("ppermute(A[I_{XY}]) -> A[I_{YX}]", "A[I_{YX}]", "CollectivePermute A[I_{XY}] -> A[I_{YX}]"),
    plan("AllToAll_{Z->B}(Q[B, N_{YZ}, H])", "Q[B_Z, N_Y, H]", "AllToAll_{Z,B} Q[B, N_{YZ}, H] -> Q[B_Z, N_Y, H]"),
    spelled("AllGather_{XY}(A[I_{XY}])", "AllGather_{XY} A[I_{XY}]"),
    spelled(_NAMES + "AllGather_{data,model}(A[I_{data,model}])", "AllGather_{data,model} A[I_{data,model}]"),
    # In the subscript the last part is a dimension if the collective takes one and the operand has it.
    plan("ReduceScatter_{X,K}(A[I, K]{U_X})", "A[I, K_X]", "ReduceScatter_{X,K} A[I, K]{U_X} -> A[I, K_X]"),
    plan("AllReduce_{X,K}(A[I]{U_{KX}})", "A[I]", "AllReduce_{KX} A[I]{U_{KX}} -> A[I]"),
    # The name of an operation before `[` is one only with a subscript.
    spelled("Mask[B, S]", "Mask[B, S]"),
    spelled("max[B]", "max[B]"),
    spelled("Q[B, S] ⊙ Mask[B, S] -> P[B, S]", "Q[B, S] ⊙ Mask[B, S] -> P[B, S]"),
]

ARRAYS = [
    spelled("[A_X, B]", "[A_X, B]"),
    spelled("C[]", "C[]"),
    spelled("bf16[B, D]", "bf16[B, D]"),
    spelled("bfloat16[B, D]", "bf16[B, D]"),
    spelled("x: float32[B, D_X]", "x: f32[B, D_X]"),
    spelled("bf16[B=128, D=8192]", "bf16[B=128, D=8192]"),
    spelled("KV[2, B_Z, S, K_Y, H]", "KV[2, B_Z, S, K_Y, H]"),
    Row("A[I_X, J, ...]"),
    Row("A[I_X, J, \\ldots]"),
    Row("float32[8@X,16@Y]{U:Z}"),
    finding("float32[8@X,16@(X,Y)]{U:Z}", "SL201"),
    finding("A[128, D] · W[D, F] -> H[128, F]", "SL910"),
    finding("A[I, ...] + B[I, ...] -> C[I, ...]", "SL910"),
    Row("int8[8, 16] @ int8[16, 4] -> int8[8, 4]"),
    finding("A[GHIJ] · B[IJKL] -> C[GHKL]", "SL907"),
    finding(_XY + "In[BX, D] · Win[D, FY] -> H[BX, FY]", "SL908"),
    finding("In[B, D] · W[L_Z, D, F][i] -> H[B, F]", "SL909"),
]

_NOTE = "We gather $A[I_X]$ first: $A[I_X] \\to A[I]$, where $T = V / W$ and `B[J_Y] -> B[J]`.\n"
DOCUMENTS = [
    spelled(_NOTE, "B[J_Y] -> B[J]", document="markdown"),
    finding(_NOTE, "SL106", document="markdown"),
    spelled("Text.\n```shard\nA[I_X] -> A[I]\n```\nMore text.\n", "A[I_X] -> A[I]", document="markdown"),
    spelled("Text [1] with $$A[I_X] \\to A[I]$$ in it.\n", "A[I_X] -> A[I]", document="text"),
    spelled("\\section{A}\nText \\[ A[I_X] \\to A[I] \\]\n", "A[I_X] -> A[I]", document="latex"),
    spelled(
        "\\begin{align}\nA[I_X] &\\to A[I] \\\\\nB[I_X] &\\to B[I]\n\\end{align}\n", "B[I_X] -> B[I]", document="latex"
    ),
]

CONTRACTED = [
    plan("A[B, I, J] · W[B, J, K] -> C[B, I, K]", "C[B, I, K]"),
    plan("A[I, J] · B[I, J]", "_[]"),
    plan("In[B, D] · W_in[D, F] · W_out[F, D] -> Out[B, D]", "Out[B, D]", codes=("SL222",)),
    plan("In[B, D] ·_D W_in[D, F] ·_F W_out[F, D] -> Out[B, D]", "Out[B, D]"),
    plan("A[I, J] · B[J, K] · C[K, L] -> D[I, L]", "D[I, L]"),
    finding("A[I, J, K] · B[J, K, L] · C[L, J, K] -> D[I, J, K]", "SL217"),
    finding("A[I, J_X] · B[J_X, L] -> C[I, K]", "SL213"),
    finding("A[I, J] ·_J B[L, K] -> C[I, K]", "SL214"),
    finding("A[I, J] ·_J B[J, K] -> C[I, J, K]", "SL216"),
    plan("A[I, J] · B[J, K] -> C[I_Y, K]", "C[I_Y, K]", "Slice_Y A[I, J] -> A[I_Y, J]", codes=("SL313",)),
    plan("A[I, J, M] · B[J, K] -> C[I, K]", "C[I, K]", codes=("SL215",)),
    plan("A[I, J] -> C[I]", "C[I]", codes=("SL215",)),
]

# --- 3. What a local operation may do -------------------------------------------------------------

LOCAL = [
    plan("A[I, J] ·_LOCAL B[J, K] -> C[I, K]", "C[I, K]"),
    plan("A[I_X, J] ·_LOCAL B[J, K] -> C[I_X, K]", "C[I_X, K]"),
    plan("A[B_X, I, J] ·_LOCAL B[B_X, J, K] -> C[B_X, I, K]", "C[B_X, I, K]"),
    plan("A[I, J]{U_X} ·_LOCAL B[J, K] -> C[I, K]{U_X}", "C[I, K]{U_X}"),
    plan(
        "A[I, J_X] ·_LOCAL B[J_{XY}, K] -> C[I, K]{U_{XY}}", "C[I, K]{U_{XY}}", "Slice_{Y,J} A[I, J_X] -> A[I, J_{XY}]"
    ),
    finding("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]", "SL312"),
    finding("A[I, J_{XY}] ·_LOCAL B[J_{YX}, K] -> C[I, K]{U_{XY}}", "SL308"),
    finding("A[I, J_X] ·_LOCAL B[J_Y, K] -> C[I, K]", "SL301"),
    finding("A[I, J]{U_X} ·_LOCAL B[J, K]{U_X} -> C[I, K]", "SL315"),
    plan("A[I]{U_X} + B[I]{U_X} -> C[I]{U_X}", "C[I]{U_X}"),
    plan("A[I]{U_X} - B[I]{U_X}", "_[I]{U_X}"),
    plan("maximum(A[I]{max_X}, B[I]{max_X})", "_[I]{max_X}"),
    plan("minimum(A[I]{min_X}, B[I]{min_X})", "_[I]{min_X}"),
    plan("exp(A[I]{max_X})", "_[I]{max_X}"),
    plan("A[I]{max_X} * 2", "_[I]{max_X}"),
    plan("-A[I]{max_X}", "_[I]{min_X}"),
    plan("A[I_X] + B[I]", "_[I_X]", "Slice_X B[I] -> B[I_X]"),
    plan("A[I]{U_X} + b[I]", "_[I]{U_X}", "Mask_X b[I] -> b[I]{U_X}"),
    plan("A[I]{U_X} + 1", "_[I]{U_X}", "Mask_X 1 -> 1{U_X}"),
    plan("A[I]{U_X} + b[I_X]", "_[I]{U_X}", "Pad_X b[I_X] -> b[I]{U_X}"),
    plan("A[I]{U_X} ⊙ b[I]", "_[I]{U_X}"),
    plan("A[I]{U_X} / b[I]", "_[I]{U_X}"),
    finding("b[I] / A[I]{U_X}", "SL309"),
    plan("A[I]{U_X} * 0.5", "_[I]{U_X}"),
    plan("-A[I]{U_X}", "_[I]{U_X}"),
    plan("A[I, J]{U_X} -> T[J, I]{U_X}", "T[J, I]{U_X}"),
    plan("sum_J A[I, J]{U_X}", "_[I]{U_X}"),
    plan("mean_J A[I, J_X]", "_[I]{U_X}"),
    plan("max_J A[I, J_X]", "_[I]{max_X}"),
    plan("min_J A[I, J_X]", "_[I]{min_X}"),
    finding("gelu(A[I]{U_X})", "SL309"),
    finding("explicit\nA[I]{U_X} + b[I] -> C[I]", "SL316"),
    finding("explicit\ngelu(A[I]{U_X}) -> C[I]", "SL314"),
]

# --- 4. Steps -------------------------------------------------------------------------------------


def step(text: str) -> Row:
    """A step that is written out and is its own plan."""
    return plan(text, text.split(" -> ")[1], text)


STEPS = [
    step("AllGather_X A[I_X, J] -> A[I, J]"),
    step("AllGather_{XY} A[I_X, J_Y] -> A[I, J]"),
    step("AllGather_Y A[I_{XY}] -> A[I_X]"),
    finding("AllGather_X A[I_{XY}] -> A[I_Y]", "SL305"),
    finding("AllGather_Y A[I_X] -> A[I]", "SL303"),
    finding("AllGather_X A[I]{U_X} -> A[I]", "SL302"),
    finding("AllGather_X A[I_X, J] -> A[I_X, J]", "SL306"),
    step("ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"),
    step("ReduceScatter_{X,J} A[I, J]{max_X} -> A[I, J_X]"),
    step("ReduceScatter_{X,I} A[I_Y]{U_X} -> A[I_{YX}]"),
    step("ReduceScatter_{XY,J} A[I, J]{U_{XY}} -> A[I, J_{XY}]"),
    finding("ReduceScatter_{XY,J} A[I, J]{U_{XY}} -> A[I, J_{YX}]", "SL306"),
    finding("ReduceScatter_{X,I} A[I_Y]{U_X} -> A[I_X]", "SL306"),
    finding("ReduceScatter_{X,J} A[I, J] -> A[I, J_X]", "SL304"),
    step("AllReduce_X A[I]{U_X} -> A[I]"),
    step("AllReduce_X A[I]{min_X} -> A[I]"),
    finding("AllReduce_X A[I] -> A[I]", "SL304"),
    finding("AllReduce_Y A[I]{U_X} -> A[I]", "SL304"),
    step("AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"),
    step("AllToAll_{XY,J} A[I_{XY}, J] -> A[I, J_{XY}]"),
    finding("AllToAll_{X,J} A[I_{XY}, J] -> A[I_Y, J_X]", "SL305"),
    step("CollectivePermute A[I_{XY}] -> A[I_{YX}]"),
    plan("mesh X=4, Y=4\nCollectivePermute A[I_X] -> A[I_Y]", "A[I_Y]", "CollectivePermute A[I_X] -> A[I_Y]"),
    plan(
        "mesh X=4, Y=4\nCollectivePermute A[I]{U_X} -> A[I]{U_Y}",
        "A[I]{U_Y}",
        "CollectivePermute A[I]{U_X} -> A[I]{U_Y}",
    ),
    finding("CollectivePermute A[I_X] -> A[I_X]", "SL310"),
    finding("mesh X=4, Y=2\nCollectivePermute A[I_X] -> A[I_Y]", "SL307"),
    step("Slice_X A[I] -> A[I_X]"),
    step("Slice_{X,J} A[I, J_Y] -> A[I, J_{YX}]"),
    finding("Slice_X A[I]{U_X} -> A[I_X]", "SL307"),
    step("Mask_X A[I] -> A[I]{U_X}"),
    finding("Mask_X A[I_X] -> A[I]{U_X}", "SL307"),
    step("Pad_X A[I_X] -> A[I]{U_X}"),
    step("Pad_Y A[I_{XY}] -> A[I_X]{U_Y}"),
    finding("Pad_X A[I_{XY}] -> A[I_Y]{U_X}", "SL305"),
    step("Relabel_X A[I] -> A[I]{max_X}"),
    step("Relabel_X A[I] -> A[I]{min_X}"),
    finding("Relabel_X A[I] -> A[I]{U_X}", "SL307"),
    Row("Mask_X 1 -> 1{U_X}"),
    plan(
        "A[I_{XY}] -> A[I_Y]",
        "A[I_Y]",
        "CollectivePermute A[I_{XY}] -> A[I_{YX}]",
        "AllGather_X A[I_{YX}] -> A[I_Y]",
        codes=("SL311",),
    ),
    plan("explicit\nA[I_X, J] ·_J B[J, K] -> C[I_X, K]", "C[I_X, K]"),
    plan("explicit\nA[I, J_X] · B[J, K] -> C[I, K]{U_X}", "C[I, K]{U_X}", "Slice_X B[J, K] -> B[J_X, K]"),
]

# --- 5. Inference ---------------------------------------------------------------------------------

INFERENCE = [
    # With an output, symbolic sizes: a plan without communication, if there is one.
    plan("A[I, J_X] · B[J, K] -> C[I, K]{U_X}", "C[I, K]{U_X}", "Slice_X B[J, K] -> B[J_X, K]"),
    # Contracted, sharded in one operand only.
    plan("A[I, J_X] · B[J, K] -> C[I, K]", "C[I, K]", "AllGather_X A[I, J_X] -> A[I, J]"),
    plan("A[I, J_X] · B[J, K] -> C[I_X, K]", "C[I_X, K]", "AllToAll_{X,I} A[I, J_X] -> A[I_X, J]"),
    plan(
        "A[I, J_X] · B[J, K] -> C[I, K_X]",
        "C[I, K_X]",
        "AllGather_X A[I, J_X] -> A[I, J]",
        "Slice_X B[J, K] -> B[J, K_X]",
    ),
    plan(
        "A[I, J_X] · B[J_{XY}, K] -> C[I, K]",
        "C[I, K]",
        "AllGather_Y B[J_{XY}, K] -> B[J_X, K]",
        "AllReduce_X C[I, K]{U_X} -> C[I, K]",
    ),
    plan("A[I, J_{XY}] · B[J_X, K] -> C[I_Y, K]{U_X}", "C[I_Y, K]{U_X}", "AllToAll_{Y,I} A[I, J_{XY}] -> A[I_Y, J_X]"),
    # Contracted, sharded alike in both.
    plan("A[I, J_X] · B[J_X, K] -> C[I, K]", "C[I, K]", "AllReduce_X C[I, K]{U_X} -> C[I, K]"),
    plan("A[I, J_X] · B[J_X, K] -> C[I_X, K]", "C[I_X, K]", "ReduceScatter_{X,I} C[I, K]{U_X} -> C[I_X, K]"),
    plan("A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}", "C[I, K]{U_X}"),
    plan(
        "A[I, J_{XY}] · B[J_{YX}, K] -> C[I, K]{U_{XY}}",
        "C[I, K]{U_{XY}}",
        "CollectivePermute B[J_{YX}, K] -> B[J_{XY}, K]",
    ),
    plan(
        "A[I, J_X] · B[J_Y, K] -> C[I, K]",
        "C[I, K]",
        "AllGather_X A[I, J_X] -> A[I, J]",
        "AllGather_Y B[J_Y, K] -> B[J, K]",
    ),
    # One axis on two kept dimensions.
    plan("A[I_X, J] · B[J, K_X] -> C[I_X, K]", "C[I_X, K]", "AllGather_X B[J, K_X] -> B[J, K]"),
    plan("A[I_X, J] · B[J, K_X] -> C[I, K_X]", "C[I, K_X]", "AllGather_X A[I_X, J] -> A[I, J]"),
    plan(
        "A[I_X, J] · B[J, K_X] -> C[I, K]",
        "C[I, K]",
        "AllGather_X B[J, K_X] -> B[J, K]",
        "AllGather_X C[I_X, K] -> C[I, K]",
    ),
    plan("A[I_{XY}, J] · B[J, K_Y] -> C[I_X, K_Y]", "C[I_X, K_Y]", "AllGather_Y A[I_{XY}, J] -> A[I_X, J]"),
    plan("A[I_{YX}, J] · B[J, K_Y] -> C[I, K_Y]", "C[I, K_Y]", "AllGather_{YX} A[I_{YX}, J] -> A[I, J]"),
    # A batch or elementwise dimension on different axes.
    plan("A[I_X] ⊙ B[I_Y] -> C[I_X]", "C[I_X]", "AllGather_Y B[I_Y] -> B[I]", "Slice_X B[I] -> B[I_X]"),
    plan("A[I_X] + B[I_Y] -> C[I_Y]", "C[I_Y]", "AllGather_X A[I_X] -> A[I]", "Slice_Y A[I] -> A[I_Y]"),
    plan(
        "A[B_X, I, J] · W[B_Y, J, K] -> C[B_X, I, K]",
        "C[B_X, I, K]",
        "AllGather_Y W[B_Y, J, K] -> W[B, J, K]",
        "Slice_{X,B} W[B, J, K] -> W[B_X, J, K]",
    ),
    # Pending sums stay pending through linear steps and are reduced on the result.
    plan("A[I, J]{U_X} · B[J, K] -> C[I, K]", "C[I, K]", "AllReduce_X C[I, K]{U_X} -> C[I, K]"),
    plan("A[I, J]{U_X} · B[J_X, K] -> C[I, K]{U_X}", "C[I, K]{U_X}", "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"),
    plan("A[I, J]{U_X} · B[J, K_X] -> C[I, K_X]", "C[I, K_X]", "AllReduce_X A[I, J]{U_X} -> A[I, J]"),
    plan(
        "A[I, J]{U_X} · B[J, K]{U_X} -> C[I, K]",
        "C[I, K]",
        "AllReduce_X A[I, J]{U_X} -> A[I, J]",
        "AllReduce_X C[I, K]{U_X} -> C[I, K]",
    ),
    plan("A[I]{U_X} + b[I] -> C[I]", "C[I]", "AllReduce_X A[I]{U_X} -> A[I]"),
    plan("gelu(A[I]{U_X}) -> C[I]", "C[I]", "AllReduce_X A[I]{U_X} -> A[I]"),
    # A kept dimension that the output wants whole, on another axis, or whose axis it wants elsewhere.
    plan("A[I_X, J] · B[J, K] -> C[I, K]", "C[I, K]", "AllGather_X C[I_X, K] -> C[I, K]"),
    plan(
        "A[I_X, J] · B[J, K] -> C[I_Y, K]",
        "C[I_Y, K]",
        "AllGather_X C[I_X, K] -> C[I, K]",
        "Slice_Y C[I, K] -> C[I_Y, K]",
    ),
    plan("A[I_X, J] · B[J, K] -> C[I, K_X]", "C[I, K_X]", "AllToAll_{X,K} C[I_X, K] -> C[I, K_X]"),
    plan(
        "A[I_{XY}, J] · B[J, K] -> C[I_Y, K]",
        "C[I_Y, K]",
        "CollectivePermute C[I_{XY}, K] -> C[I_{YX}, K]",
        "AllGather_X C[I_{YX}, K] -> C[I_Y, K]",
    ),
    plan(
        "A[I_{XY}, J] · B[J, K] -> C[I_Y, K_X]",
        "C[I_Y, K_X]",
        "CollectivePermute C[I_{XY}, K] -> C[I_{YX}, K]",
        "AllToAll_{X,K} C[I_{YX}, K] -> C[I_Y, K_X]",
    ),
    plan("A[I]{U_X} ⊙ b[I] -> C[I]", "C[I]", "AllReduce_X C[I]{U_X} -> C[I]"),
    plan("maximum(A[I]{max_X}, B[I]{max_X}) -> C[I]", "C[I]", "AllReduce_X C[I]{max_X} -> C[I]"),
    plan("s[I] = sum_J A[I, J_X]", "s[I]", "AllReduce_X s[I]{U_X} -> s[I]"),
    plan("s[I_X] = max_J A[I, J_X]", "s[I_X]", "ReduceScatter_{X,I} s[I]{max_X} -> s[I_X]"),
    plan(
        "A[I_{XY}, J] -> A[I_Y, J]",
        "A[I_Y, J]",
        "CollectivePermute A[I_{XY}, J] -> A[I_{YX}, J]",
        "AllGather_X A[I_{YX}, J] -> A[I_Y, J]",
    ),
    # One exchange over both axes; its subscript says in which order they stand on J.
    plan(
        "A[I_{XY}, J] -> A[I, J_{YX}]",
        "A[I, J_{YX}]",
        "AllToAll_{YX,J} A[I_{XY}, J] -> A[I, J_{YX}]",
    ),
    # All sizes known: the least bytes where no hardware is given; here C is a thousand times smaller than A.
    plan(
        "mesh X=4\nlet I = 8, J = 8192, K = 8\nA[I, J_X] · B[J, K] -> C[I, K]",
        "C[I, K]",
        "Slice_X B[J, K] -> B[J_X, K]",
        "AllReduce_X C[I, K]{U_X} -> C[I, K]",
        codes=("SL405",),
    ),
    # No output given.
    plan("A[I, J_X] · B[J, K]", "_[I, K]", "AllGather_X A[I, J_X] -> A[I, J]"),
    plan("A[I, J_X] · B[J_X, K]", "_[I, K]{U_X}"),
    plan("A[I, J_{XY}] · B[J_{YX}, K]", "_[I, K]{U_{XY}}", "CollectivePermute B[J_{YX}, K] -> B[J_{XY}, K]"),
    plan("A[B_X, I, J] ·_J W[B, J, K]", "_[B_X, I, K]", "Slice_X W[B, J, K] -> W[B_X, J, K]"),
    plan("A[I_X] ⊙ B[I_{XY}]", "_[I_{XY}]", "Slice_{Y,I} A[I_X] -> A[I_{XY}]"),
    finding("A[I_X, J] · B[J, K_X]", "SL309"),
    finding("A[I_X] ⊙ B[I_Y]", "SL309"),
    finding("A[I, J]{U_X} · B[J_X, K]", "SL309"),
    finding("A[I, J]{U_X} · B[J, K]{U_X}", "SL309"),
    finding("gelu(A[I]{U_X})", "SL309"),
]

# --- 6. Findings ----------------------------------------------------------------------------------

FINDINGS = [
    # One bad statement never hides the findings of the others.
    finding("A[I_X, J_X]\nB[I, I]\nAllReduce_X A[I] -> A[I]", "SL201", "SL204", "SL304"),
    finding("A[I, J -> B[I]", "SL102"),
    finding("A[I] ¿ B[I]", "SL103"),
    finding("A · B[J]", "SL105"),
    finding("foo(A[I]) -> B[I]", "SL219"),
    finding("maximum(A[I]) -> B[I]", "SL220"),
    finding("A[I=2] + B[I=3] -> C[I]", "SL221"),
    finding("s[I] = sum_L A[I, J]", "SL223"),
    finding("A[I]\u202e -> B[I]", "SL107"),
]

TABLE = {
    "meaning": MEANING,
    "statements": STATEMENTS,
    "declarations": DECLARATIONS,
    "operations": OPERATIONS,
    "products": PRODUCTS,
    "arrows": ARROWS,
    "subscripts": SUBSCRIPTS,
    "unreduced": UNREDUCED,
    "latex and html": LATEX_AND_HTML,
    "collectives": COLLECTIVE_SPELLINGS,
    "arrays": ARRAYS,
    "documents": DOCUMENTS,
    "contracted": CONTRACTED,
    "local": LOCAL,
    "steps": STEPS,
    "inference": INFERENCE,
    "findings": FINDINGS,
}


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{group}: {row.text}") for group, rows in TABLE.items() for row in rows]
)
def test_notation(row: Row) -> None:
    report = shardlang.check(row.text, **(row.options or {})).to_dict()
    found = {entry["code"] for entry in report["diagnostics"]}
    assert set(row.codes) <= found, report["diagnostics"]
    told = {entry["code"] for entry in report["diagnostics"] if entry["severity"] == "error"}
    assert told <= set(row.codes), report["diagnostics"]
    if row.canonical is not None:
        # Only some options change what a text means; the others are options of `check` alone.
        options = {name: value for name, value in (row.options or {}).items() if name in ("mesh", "document")}
        parsed = shardlang.parse(row.text, **options).to_dict()
        assert parsed["statements"][-1]["canonical"] == row.canonical
        # Which axes a word holds depends on the mesh, so the canonical text is read against the same one.
        declared = [entry["canonical"] for entry in parsed["statements"][:-1] if entry["canonical"].startswith("mesh ")]
        text = "\n".join([*declared, row.canonical])
        again = shardlang.parse(text, mesh=options.get("mesh")).to_dict()
        assert again["statements"][-1]["canonical"] == row.canonical
    if row.output is not None:
        statement = report["statements"][-1]
        found_output, wanted_output = (
            read_array(statement["output"]),
            read_array(row.output) if "[" in row.output else None,
        )
        assert wanted_output is not None
        assert found_output.layout() == wanted_output.layout(), statement["output"]
        assert wanted_output.name in ("_", found_output.name), statement["output"]
        assert [_move(entry["text"]) for entry in statement["steps"] if entry["kind"] in COLLECTIVES + FREE_STEPS] == [
            _move(text) for text in row.moves or ()
        ]


def _move(text: str) -> tuple[Any, ...]:
    """A collective or free step without the spelling of its subscript, where its two sides say everything."""
    move = read_move(text)
    assert move
    named = move.axes if move.op in ("ReduceScatter", "AllToAll") else tuple(sorted(move.axes))
    arrays = tuple((array.name, *array.layout()) for array in read_arrays(text))
    return move.op, () if move.op == "CollectivePermute" else named, arrays or text.partition(" ")[2]
