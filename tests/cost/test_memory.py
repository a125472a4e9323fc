"""What is alive when: ARCHITECTURE section 5. A copy that a statement makes for itself ends with it."""

import sympy

import shardlang

LAYERS = """\
A[B_X, D_Y] · V[D_X, F_Y] -> H[B_X, F_Y]
H[B_X, F_Y] · W[F_Y, D_X] -> O[B_X, D_Y]
H[B_X, F_Y] · dO[B_X, D_Y] -> dW[F_Y, D_X]
dO[B_X, D_Y] · W[F_Y, D_X] -> dH[B_X, F_Y]
A[B_X, D_Y] · dH[B_X, F_Y] -> dV[D_X, F_Y]
dH[B_X, F_Y] · V[D_X, F_Y] -> dA[B_X, D_Y]
"""
SIZES = {"mesh": "X=16,Y=4", "sizes": {"B": 32768, "D": 8192, "F": 32768}, "hardware": "tpu-v5p"}
B, D, E, F, X = sympy.symbols("B D E F X", positive=True)


def memory(text, **options):
    report = shardlang.cost(text, **options)
    return report.value(report.memory)


def test_a_weight_that_is_gathered_again_is_not_kept_from_one_use_to_the_next():
    gather = "A[B, D] · W[D_X, F] -> {}[B, F]"
    quiet = "Z[B, D] · U[D, E] -> Q[B, E]"
    again = shardlang.cost("\n".join([gather.format("O"), quiet, gather.format("P")]), mesh="X").memory
    # Alive throughout the first statement: A, W's shards, Z and U. In the second Q comes to them, and no copy of W.
    inputs = 2 * B * D + 2 * D * F / X + 2 * B * D + 2 * D * E
    tall = {B: 2**20, D: 4, E: 4, F: 2**20, X: 64}
    assert again.subs(tall) == (inputs + 2 * D * F + 2 * B * F).subs(tall)
    wide = {B: 2**20, D: 2**12, E: 2**12, F: 2**6, X: 64}
    assert again.subs(wide) == (inputs + 2 * B * E).subs(wide)


def test_other_names_for_the_later_uses_of_a_weight_save_nothing():
    """The later uses are of the sharded layout: a weight of its own there can only add its shards."""
    renamed = LAYERS.replace("· W[F_Y, D_X] -> dH", "· W2[F_Y, D_X] -> dH").replace(
        "· V[D_X, F_Y] -> dA", "· V2[D_X, F_Y] -> dA"
    )
    shards = 2 * 2 * 8192 * 32768 / 64
    assert memory(renamed, **SIZES) - memory(LAYERS, **SIZES) in (0, shards / 2, shards)
    declared = "W2[F_Y, D_X]\nV2[D_X, F_Y]\n"
    assert memory(LAYERS, **SIZES) <= memory(renamed, **SIZES) <= memory(declared + renamed, **SIZES)


def test_the_memory_does_not_change_where_the_shards_are_there_anyway():
    """Both weights are used at the end again, so that their shards are alive throughout under either name."""
    first = "A[B_X, D] · W[D_X, F] -> H[B_X, F]\nA[B_X, D] · V[D_X, F] -> G[B_X, F]\n"
    end = "W[D_X, F] + V[D_X, F] -> S[D_X, F]"
    same, other = (f"{first}P[B_X, D] · {name}[D_X, F] -> Q[B_X, F]\n{end}" for name in "WV")
    assert memory(same, **SIZES) == memory(other, **SIZES)


def test_a_gathered_copy_that_is_written_out_stays_until_its_last_use():
    text = "AllGather_X W[D_X, F] -> W[D, F]\nZ[B, D] · U[D, E] -> Q[B, E]\nA[B, D] · W[D, F] -> O[B, F]"
    found = shardlang.cost(text, mesh="X").memory
    wide = {B: 2**20, D: 2**12, E: 2**12, F: 2**6, X: 64}
    assert found.subs(wide) == (2 * D * F + 2 * B * D + 2 * B * D + 2 * D * E + 2 * B * E).subs(wide)


def test_where_the_memory_is_largest():
    report = shardlang.cost(
        "mesh X=4\nlet B=64, D=8, F=4096\nA[B, D] · V[D, D] -> T[B, D]\nT[B, D] · W[D, F] -> O[B, F]"
    )
    peak = report.estimate.peak
    assert (report.lines[peak.at], peak.step) == (4, 0)
    assert peak.there == 2 * B * D + 2 * D * F + 2 * B * F
    assert report.value(peak.there) == report.value(report.memory)


def test_open_sizes_leave_the_place_open_only_where_they_decide_it():
    one = shardlang.cost("A[B, D] · V[D, E] -> T[B, E]").estimate.peak
    assert (one.at, one.step, one.there) == (0, 0, 2 * B * D + 2 * D * E + 2 * B * E)
    two = shardlang.cost("A[B, D] · V[D, E] -> T[B, E]\nT[B, E] · W[E, F] -> O[B, F]").estimate.peak
    assert (two.at, two.step, two.there) == (None, None, None)
