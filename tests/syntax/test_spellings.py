"""One row for every spelling of the notation: what is written, and the canonical text that it means.

The rows are read off the specification's list of accepted spellings, in its order.
"""

import pytest

from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.syntax.printing import statement_text

PRODUCT = "A[I, J] · B[J, K] -> C[I, K]"
RESHARD = "A[I_X, J] -> A[I, J]"
GATHER = "AllGather_X A[I_X, J] -> A[I, J]"
MESH = "mesh X=4, Y=2"

SPELLINGS: dict[str, list[tuple[str, str]]] = {
    "product": [
        *((f"A[I, J] {sign} B[J, K] -> C[I, K]", PRODUCT) for sign in "·⋅•×*@"),
        ("A[I, J]·B[J, K]->C[I, K]", PRODUCT),
        (r"A[I, J] \cdot B[J, K] -> C[I, K]", PRODUCT),
        (r"A[I, J] \times B[J, K] -> C[I, K]", PRODUCT),
        (r"A[I, J] \* B[J, K] -> C[I, K]", PRODUCT),
        ("A[I, J] &middot; B[J, K] -> C[I, K]", PRODUCT),
        ("A[I, J] ·_J B[J, K]", "A[I, J] ·_J B[J, K]"),
        ("A[I, J] *_{J} B[J, K]", "A[I, J] ·_J B[J, K]"),
        (r"A[I, J] \cdot_J B[J, K]", "A[I, J] ·_J B[J, K]"),
        ("A[N, H] *_{N,H} B[N, H]", "A[N, H] ·_{N,H} B[N, H]"),
        ("A[I, J] ·_LOCAL B[J, K]", "A[I, J] ·_LOCAL B[J, K]"),
        (r"A[I, J] \cdot_{LOCAL} B[J, K]", "A[I, J] ·_LOCAL B[J, K]"),
        (r"A[I, J] \cdot_\text{LOCAL} B[J, K]", "A[I, J] ·_LOCAL B[J, K]"),
        ("A[I, J] ·_{LOCAL,J} B[J, K]", "A[I, J] ·_{LOCAL,J} B[J, K]"),
        ("A[I] ⊙ B[I]", "A[I] ⊙ B[I]"),
        (r"A[I] \odot B[I]", "A[I] ⊙ B[I]"),
        ("In[B, D] · W[D, F] ·_F V[F, D] -> Out[B, D]", "In[B, D] · W[D, F] ·_F V[F, D] -> Out[B, D]"),
        ("A[I] · (B[I] · C[I])", "A[I] · (B[I] · C[I])"),
    ],
    "arrow": [
        *((f"A[I_X, J] {sign} A[I, J]", RESHARD) for sign in ("->", "→", "=>", "-->", "⟶", "⇒")),
        *((rf"A[I_X, J] \{name} A[I, J]", RESHARD) for name in ("to", "rightarrow", "Rightarrow", "longrightarrow")),
        (r"A[I_X, J] \rightarrow_\text{reshape} A[I, J]", RESHARD),
        (r"A[I_X, J] \rightarrow_{reshape} A[I, J]", RESHARD),
        ("A[I_X, J] →_reshape A[I, J]", RESHARD),
        (r"A[I_X, J] \xrightarrow{\text{AllGather}} A[I, J]", RESHARD),
        ("A[I_X, J] -&gt; A[I, J]", RESHARD),
        ("A[I_X, J] &rarr; A[I, J]", RESHARD),
        ("C[I, K] = A[I, J] · B[J, K]", "C[I, K] = A[I, J] · B[J, K]"),
        ('"A[I_X, J] -> A[I, J]"', RESHARD),
        ("'A[I_X, J] -> A[I, J]'", RESHARD),
        ("“A[I_X, J] → A[I, J]”", RESHARD),
        ("‘A[I_X, J] → A[I, J]’", RESHARD),
    ],
    "subscripts": [
        ("A[I_X]", "A[I_X]"),
        ("A[I_XY]", "A[I_{XY}]"),
        ("A[I_{XY}]", "A[I_{XY}]"),
        ("A[I_{X,Y}]", "A[I_{XY}]"),
        ("A[I_{X, Y}]", "A[I_{XY}]"),
        ("A[I_{data,model}]", "A[I_{data,model}]"),
        ("A[I_data]", "A[I_data]"),
        ("A[I<sub>XY</sub>]", "A[I_{XY}]"),
        ("A[I<SUB> XY </SUB>]", "A[I_{XY}]"),
        ("A[I@X]", "A[I_X]"),
        ("A[I@(X,Y)]", "A[I_{XY}]"),
        ("A[d_model, head_dim]", "A[d_model, head_dim]"),
        (r"A[I_\text{XY}]", "A[I_{XY}]"),
        (r"A[I_{\text{X},\text{Y}}]", "A[I_{XY}]"),
        (r"A[I\_X]", "A[I_X]"),
    ],
    "unreduced": [
        *(
            (f"A[I]{text}", "A[I]{U_X}")
            for text in (
                *("{U_X}", "<U_X>", "{U.X}", "{U:X}", r"\{U_X\}", r"\\{ U_X \\}", "{sum_X}", " { U_X } ", "{ U : X }"),
                *(
                    "{U_{X}}",
                    "{ U _ X }",
                    r"\{\ U_X \}",
                    r"\{\,U_{X}\,\}",
                    "&lt;U_X&gt;",
                    "{U<sub>X</sub>}",
                    r"\lbrace U_X \rbrace",
                ),
            )
        ),
        ("A[I]{U_{XY}}", "A[I]{U_{XY}}"),
        ("A[I]{U_XY}", "A[I]{U_{XY}}"),
        ("A[I]{U_X, U_Y}", "A[I]{U_{XY}}"),
        ("A[I]{U:(X,Y)}", "A[I]{U_{XY}}"),
        ("A[I]{max_X}", "A[I]{max_X}"),
        ("A[I]{min_{XY}}", "A[I]{min_{XY}}"),
    ],
    "LaTeX": [
        ("$A[I_X, J] \\to A[I, J]$", RESHARD),
        ("$$A[I_X, J] \\to A[I, J]$$", RESHARD),
        (r"\[ A[I_X, J] \to A[I, J] \]", RESHARD),
        (r"\( A[I_X, J] \to A[I, J] \)", RESHARD),
        (r"\begin{align*} A[I_X, J] &\to A[I, J] \\ \end{align*}", RESHARD),
        (r"\text{A}[I_X, J] \to \mathbf{A}[I, J]", RESHARD),
        (r"\textbf{AllGather}_X A[I_X, J] \to A[I, J]", GATHER),
        (r"\textbf{AllGather}_{X}(A[I_X, J]) \to A[I, J]", GATHER),
        (r"\textbf{AllGather}_\text{X}\ A[I_X, J] \to A[I, J]", GATHER),
        (r"\operatorname{AllGather}_X\left(A[I_X, J]\right) \to A[I, J]", GATHER),
        (r"W_\text{in}[D]", "W_in[D]"),
        (r"W_{\text{in}}[D]", "W_in[D]"),
        (r"W_{in}[D]", "W_in[D]"),
        (r"\text{W}_\text{in1}[D]", "W_in1[D]"),
        (r"\text{In}_2[D]", "In_2[D]"),
        (r"A[I_X,\, J]\ \to\; A[I,~J] \quad", RESHARD),
        (r"A[I_X, J] \to & A[I, J] \\", RESHARD),
        (r"A[B, \red{D}] \cdot W[\red{D}, F]", "A[B, D] · W[D, F]"),
        (r"A[B, \color{red}{D}] \cdot W[\textcolor{blue}{D}, F]", "A[B, D] · W[D, F]"),
        (r"A[B, {\color{red} D}]", "A[B, D]"),
        ("A'[I] + B''[I]", "A'[I] + B''[I]"),
        ("A’[I] + B′[I]", "A'[I] + B'[I]"),
        (r"A^\prime[I] + B^{\prime\prime}[I] + C^{'}[I]", "A'[I] + B''[I] + C'[I]"),
        (r"W_{in}'[D] + \mathbf{W}_\text{in}'[D]", "W_in'[D] + W_in'[D]"),
        (r"\text{bfloat16[8,128]} @ \text{bf16[128,128]}", "bf16[8, 128] · bf16[128, 128]"),
        (r"A \left[ I_X \right] \\cdot B[J]", "A[I_X] · B[J]"),
        (r"\alpha[I] \cdot A[\beta]", "alpha[I] · A[beta]"),
        (r"\underline{A}[I]", "A[I]"),
        ("$A[I_X, J] \\to A[I, J].$", RESHARD),
        (r"A[I_X, J] \to A[I, J], \\", RESHARD),
    ],
    "Markdown and HTML": [
        ("W<sub>in</sub>[D<sub>X</sub>, F]", "W_in[D_X, F]"),
        (r"A\[I_X, J\] → A\[I, J\]", RESHARD),
        (r"\[I, J\] → \[J, I\]", "[I, J] -> [J, I]"),
        ("**AllGather**<sub>X</sub> A[I_X, J] → A[I, J]", GATHER),
        ("**AllGather**_X A[I_X, J] → A[I, J]", GATHER),
        ("**AllGather_X** A[I_X, J] → A[I, J]", GATHER),
        ("<b>AllGather</b>_X(<i>A</i>[I_X, J]) → A[I, J]", GATHER),
        ("`A[I_X, J] -> A[I, J]`", RESHARD),
        ("A[I_X,\u00a0J]\u00a0->\u202fA[I,\u2003J]", RESHARD),
        ("A[I_X,&nbsp;J] &#8594; A[I, J]", RESHARD),
        ("<p>A[I_X, J] → A[I, J]</p>", RESHARD),
        (r"W\_in[D]", "W_in[D]"),
    ],
    "collectives": [
        ("AllGather_X(A[I_X, J]) -> A[I, J]", GATHER),
        ("AllGather_X A[I_X, J] -> A[I, J]", GATHER),
        ("AllGather_X: A[I_X, J] -> A[I, J]", GATHER),
        ("AllGather_X:A[I_X, J] -> A[I, J]", GATHER),
        ("AllGather_{X} A[I_X, J] -> A[I, J]", GATHER),
        ("AllGather_X[I_X, J] -> A[I, J]", "AllGather_X [I_X, J] -> A[I, J]"),
        ("AllGather(A[I_X, J]) -> A[I, J]", "AllGather A[I_X, J] -> A[I, J]"),
        ("AllGather_X A[I_X, J]", "AllGather_X A[I_X, J]"),
        ("A[I, J] = AllGather_X A[I_X, J]", "A[I, J] = AllGather_X A[I_X, J]"),
        ("ReduceScatter_{Y,J} A[I, J]{U_Y}", "ReduceScatter_{Y,J} A[I, J]{U_Y}"),
        ("AllToAll_{X,J}(A[I_X, J])", "AllToAll_{X,J} A[I_X, J]"),
        ("AllToAll_{Z->B} A[B, N_Z]", "AllToAll_{Z,B} A[B, N_Z]"),
        (r"AllToAll_{Z \to B} A[B, N_Z]", "AllToAll_{Z,B} A[B, N_Z]"),
        ("AllReduce_Y(A[I]{U_Y})", "AllReduce_Y A[I]{U_Y}"),
        ("AllGather_{data,model} A[I_{data,model}]", "AllGather_{data,model} A[I_{data,model}]"),
        ("AllGather_XY A[I_XY]", "AllGather_{XY} A[I_{XY}]"),
        ("all_gather_X A[I_X, J] -> A[I, J]", GATHER),
        ("all-gather_X A[I_X, J] -> A[I, J]", GATHER),
        ("psum_X(A[I]{U_X})", "AllReduce_X A[I]{U_X}"),
        ("psum_scatter_{X,I}(A[I]{U_X})", "ReduceScatter_{X,I} A[I]{U_X}"),
        ("all_to_all_{X,J} A[I_X, J]", "AllToAll_{X,J} A[I_X, J]"),
        ("ppermute_X A[I_X]", "CollectivePermute_X A[I_X]"),
        ("CollectivePermute A[I_{XY}] -> A[I_{YX}]", "CollectivePermute A[I_{XY}] -> A[I_{YX}]"),
        ("Slice_X A[I] -> A[I_X]", "Slice_X A[I] -> A[I_X]"),
        ("Mask_X A[I] -> A[I]{U_X}", "Mask_X A[I] -> A[I]{U_X}"),
        ("Mask_X 1 -> 1{U_X}", "Mask_X 1 -> 1{U_X}"),
        ("Pad_X A[I_X] -> A[I]{U_X}", "Pad_X A[I_X] -> A[I]{U_X}"),
        ("Relabel_X A[I] -> A[I]{max_X}", "Relabel_X A[I] -> A[I]{max_X}"),
        ("sum_{B,S} G[B, S, H]", "sum_{B,S} G[B, S, H]"),
        ("s[I] = sum_J A[I, J]", "s[I] = sum_J A[I, J]"),
        ("sum_J(A[I, J] · B[J])", "sum_J(A[I, J] · B[J])"),
        ("max_J[I, J]", "max_J([I, J])"),
        ("Mask[B, S] · max[B] -> C[S]", "Mask[B, S] · max[B] -> C[S]"),
        ("norm_w[D] + max_val[B] + pad_mask[B]", "norm_w[D] + max_val[B] + pad_mask[B]"),
        ("norm_w: bf16[D]", "norm_w: bf16[D]"),
        ("pad_mask: bool[B]", "pad_mask: bool[B]"),
        ("sum_J: A[I, J]", "sum_J A[I, J]"),
        ("sum_{I,J}: A[I_X, J]", "sum_{I,J} A[I_X, J]"),
        ("AllGather_X A[I_X] · B[I]", "AllGather_X A[I_X] · B[I]"),
        ("AllGather_X AllGather_Y A[I_{YX}]", "AllGather_X(AllGather_Y A[I_{YX}])"),
    ],
    "arrays": [
        ("A[I,J]", "A[I, J]"),
        ("[A_X, B]", "[A_X, B]"),
        ("C[]", "C[]"),
        ("bf16[B, D]", "bf16[B, D]"),
        ("x: bf16[B, D_X]", "x: bf16[B, D_X]"),
        ("x: bf16[B] + y: f32[B] -> z: f32[B]", "x: bf16[B] + y: f32[B] -> z: f32[B]"),
        ("bf16[B=128, D=8192]", "bf16[B=128, D=8192]"),
        ("float32[8@X,16@(X,Y)]{U:Z}", "f32[8@X, 16@(X,Y)]{U_Z}"),
        ("int8[16384, 4096]", "int8[16384, 4096]"),
        ("int8[8, 16] @ int8[16, 4]", "int8[8, 16] · int8[16, 4]"),
        ("A[I_X, …]", "A[I_X, ...]"),
        (r"A[I_X, \ldots]", "A[I_X, ...]"),
        ("KV[2, B_Z, S, K_Y, H]", "KV[2, B_Z, S, K_Y, H]"),
        ("W1[D] + W_in2[D] + X9Y[D]", "W1[D] + W_in2[D] + X9Y[D]"),
        ("注意[批, 頭_X]", "注意[批, 頭_X]"),
        ("caf\u0065\u0301[I]", "caf\u00e9[I]"),
        ("A [I_X] {U_Y}", "A[I_X]{U_Y}"),
    ],
    "expressions": [
        ("Z[B, F] = gelu(X[B, D] · W[D, F] + b[F])", "Z[B, F] = gelu(X[B, D] · W[D, F] + b[F])"),
        ("Z2[N_X, D] = gelu(Z[N_X, D] + b[D]) * 2", "Z2[N_X, D] = gelu(Z[N_X, D] + b[D]) · 2"),
        ("-A[I] + B[I] · C[I] / 2 - D[I]", "-A[I] + B[I] · C[I] / 2 - D[I]"),
        ("(A[I] + B[I]) · C[I]", "(A[I] + B[I]) · C[I]"),
        ("A[I] - (B[I] - C[I])", "A[I] - (B[I] - C[I])"),
        ("((A[I]))", "A[I]"),
        ("- -A[I]", "--A[I]"),
        ("maximum(A[I], 0.5)", "maximum(A[I], 0.5)"),
        ("swish(A[I]) · logistic(B[I])", "silu(A[I]) · sigmoid(B[I])"),
        ("unheard_of(A[I])", "unheard_of(A[I])"),
    ],
    "declarations": [
        *(
            (text, MESH)
            for text in (
                "mesh X=4, Y=2",
                "mesh X=4 Y=2",
                "mesh X = 4 , Y = 2",
                "mesh X: 4, Y: 2",
                "mesh {X: 4, Y: 2}",
                "mesh {'X': 4, \"Y\": 2}",
                "Mesh({'X': 4, 'Y': 2})",
                "Mesh(mesh_shape=(4, 2), axis_names=('X', 'Y'))",
                "Mesh(axis_names=['X', 'Y'], mesh_shape=[4, 2])",
                "Mesh(devices=((0, 1), (2, 3), (4, 5), (6, 7)), axis_names=('X', 'Y'))",
                "Mesh(((0, 1), (2, 3), (4, 5), (6, 7)), ('X', 'Y'))",
                "jax.make_mesh((4, 2), ('X', 'Y'))",
                "mesh = jax.make_mesh((4, 2), ('X', 'Y'))",
                "mesh = jax.make_mesh((4, 2), ('X', 'Y'), axis_types=(AxisType.Explicit, AxisType.Explicit))",
                "mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ('X', 'Y'))",
                "mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), axis_names=('X', 'Y'))",
                "AbstractMesh((4, 2), ('X', 'Y'))",
                "Mesh('X': 4, 'Y': 2, axis_types=(Auto, Auto))",
                "Mesh(device_ids=array([[0, 1], [2, 3], [4, 5], [6, 7]]), axis_names=('X', 'Y'))",
                "DeviceMesh('cuda', [[0, 1], [2, 3], [4, 5], [6, 7]], mesh_dim_names=('X', 'Y'))",
                "mesh(X=4, Y=2)",
                "init_device_mesh('cuda', (4, 2), mesh_dim_names=('X', 'Y'))",
                "Mesh(\n    mesh_shape=(4, 2),\n    axis_names=('X', 'Y'),\n)",
            )
        ),
        ("mesh X, Y", "mesh X, Y"),
        ("Mesh(devices, ('X', 'Y'))", "mesh X, Y"),
        ("mesh X=16 ring, Y=4 line", "mesh X=16 ring, Y=4 line"),
        ("mesh X=16 ring:2, Y=4 scale-out, Z node", "mesh X=16 ring:2, Y=4 scale-out, Z node"),
        ("mesh X = P*Q, P=4, Q=2", "mesh X=P*Q, P=4, Q=2"),
        ("hardware tpu-v5p", "hardware tpu-v5p"),
        ("dtype bf16", "dtype bf16"),
        ("let B = 4096, D = 8192, F = 4*D", "let B = 4096, D = 8192, F = 4*D"),
        (
            "let B = 2**10, C = 2^3, D = (B+1)//2, E = B·2/3, G = -1",
            "let B = 2**10, C = 2**3, D = (B + 1)//2, E = B*2/3, G = -1",
        ),
        ("explicit", "explicit"),
        ("rules batch -> X, mlp -> Y", "rules batch -> X, mlp -> Y"),
        ("rules batch -> (X, Y)", "rules batch -> X, batch -> Y"),
        ("mesh[B, D] + let[D]", "mesh[B, D] + let[D]"),
        ("explicit[B, D]", "explicit[B, D]"),
        ("dtype: f32[B]", "dtype: f32[B]"),
    ],
    "not supported yet": [
        ("[GHIJ]", "[GHIJ]"),
        ("Win[DX, F]", "Win[DX, F]"),
        ("A[B_X, T, D] -> R[(B T)_X, D]", "A[B_X, T, D] -> R[(B T)_X, D]"),
        ("Q[B, (K G)@X, H] -> R[B, K_X, G, H]", "Q[B, (K G)_X, H] -> R[B, K_X, G, H]"),
        ("W_in[D_?, F_{?}]", "W_in[D_?, F_?]"),
        ("P[B_X, S] = softmax_S(Q[B_X, S])", "P[B_X, S] = softmax_S Q[B_X, S]"),
        ("Softmax_S Q[B_X, S]", "softmax_S Q[B_X, S]"),
        ("H[B, T, D] = take_V(E[V, D], tok[B, T])", "H[B, T, D] = take_V(E[V, D], tok[B, T])"),
    ],
}
ROWS = [
    pytest.param(text, canonical, id=f"{group}: {text}")
    for group, rows in SPELLINGS.items()
    for text, canonical in rows
]


@pytest.mark.parametrize(("text", "canonical"), ROWS)
def test_spelling_has_its_canonical_text(text: str, canonical: str) -> None:
    module, findings = parse(SourceText(text))
    assert findings == ()
    assert [statement_text(statement) for statement in module.statements] == [canonical]


@pytest.mark.parametrize("canonical", sorted({row.values[1] for row in ROWS}))
def test_canonical_text_is_its_own_canonical_text(canonical: str) -> None:
    module, findings = parse(SourceText(canonical))
    assert findings == ()
    assert [statement_text(statement) for statement in module.statements] == [canonical]


def test_all_spellings_stand_in_one_file() -> None:
    text = "\n".join(row.values[0] for row in ROWS)
    module, findings = parse(SourceText(text))
    assert findings == ()
    # A line that starts with an operator continues the one before, which one row does.
    expected = [row.values[1] for row in ROWS]
    printed = [statement_text(statement) for statement in module.statements]
    assert set(expected) - set(printed) <= {
        text for text in expected if text.startswith("-") or "expressions" in text
    } | {expected[index - 1] for index, text in enumerate(expected) if text.startswith("-")}
