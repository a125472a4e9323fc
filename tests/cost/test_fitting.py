"""Does it fit, and up to which size: against numbers put into the need itself."""

import itertools

import pytest
import sympy

import shardlang

B, D, F, P, X = sympy.symbols("B D F P X", positive=True)
M = sympy.Symbol("M_hbm", positive=True)
ADAM = "w: bf16[P_X]\nm: f32[P_X]\nv: f32[P_X]"
LAYER = "In[B_X, D] · W[D_X, F] -> H[B_X, F]\nH[B_X, F] · V[F, D_X] -> Out[B_X, D]"


def limit_of(report, of="peak"):
    (found,) = [limit for name, limit in report.limits if name == of]
    return found


def need(text, **sizes):
    report = shardlang.memory(text, sizes=sizes)
    return report.value(report.peak)


def test_fits_is_at_most_the_memory_of_the_chip():
    sizes = {"P": 100, "X": 1}
    for room, fits in ((1000, True), (999, False), (1001, True)):
        report = shardlang.memory(ADAM, sizes={**sizes, "M_hbm": room}, mesh="X")
        assert report.fits is fits
        assert report.verdict.share == pytest.approx(1000 / room)
    assert shardlang.memory(ADAM, mesh="X=1", sizes={"P": 100}).fits is None
    assert shardlang.memory(ADAM, mesh="X", hardware="h100").fits is None


def test_the_fewest_devices():
    found = limit_of(shardlang.memory(ADAM, "X", sizes={"P": 70e9}, hardware="h100"))
    assert (found.relation, found.threshold, found.whole, found.exact) == (">", 10 * P / M, 9, True)
    assert found.value == 8.75


def test_what_does_not_change_has_to_fit_alone():
    found = limit_of(shardlang.memory("W[D, F]\nA[B, D]", "B"))
    assert found.relation == "<"
    assert sympy.simplify(found.threshold - (M - 2 * D * F) / (2 * D)) == 0
    assert [condition.text for condition in found.requires] == ["2*D*F < M_hbm"]
    known = {"D": 10, "F": 10}
    never = limit_of(shardlang.memory("W[D, F]\nA[B, D]", "B", sizes={**known, "M_hbm": 199}))
    assert (never.relation, never.threshold, never.value, never.whole) == ("never", None, None, None)
    assert limit_of(shardlang.memory("W[D, F]\nA[B, D]", "B", sizes={**known, "M_hbm": 219})).whole == 0


def test_a_size_that_nothing_depends_on():
    found = limit_of(shardlang.memory("W[D, F]\nIn[B_X, D]", "Y", mesh="X,Y"))
    assert (found.relation, found.threshold) == ("always", None)
    assert [condition.text for condition in found.requires] == ["2*B*D/X + 2*D*F < M_hbm"]


def test_a_size_in_terms_of_the_variable_is_put_in():
    found = limit_of(shardlang.memory("let F = 4*D\nW[F, B]\nV[D]", "D"))
    assert sympy.simplify(found.threshold - M / (8 * B + 2)) == 0


def test_a_ratio():
    found = limit_of(shardlang.memory("In[B_X, D]", "B/X", sizes={"D": 8, "M_hbm": 64}))
    assert (found.relation, sympy.simplify(found.threshold - M / (2 * D)), found.value, found.whole) == (
        "<",
        0,
        4,
        None,
    )


@pytest.mark.parametrize("room", [160, 161, 159.5])
def test_whole_sizes_are_the_last_that_fit(room):
    found = limit_of(shardlang.memory("A[B, D]", "B", sizes={"D": 8, "M_hbm": room}))
    assert need("A[B, D]", B=found.whole, D=8) <= room < need("A[B, D]", B=found.whole + 1, D=8)


def test_thresholds_that_rounding_would_spoil():
    """A room for exactly so many rows holds them, whatever the division leaves of the last bit."""
    for width, count in itertools.product((3, 7, 11, 49), range(1, 60)):
        room = 2.0 * width * count
        assert limit_of(shardlang.memory("A[B, D]", "B", sizes={"D": width, "M_hbm": room})).whole == count


def test_of_several_peaks_the_tightest_limit_counts():
    report = shardlang.memory(LAYER, "B")
    found = limit_of(report)
    assert isinstance(found.threshold, sympy.Min)
    for d, f, x in ((4, 64, 2), (64, 4, 2), (64, 64, 8), (8, 8, 4)):
        sizes = {"D": d, "F": f, "X": x, "M_hbm": 10**6}
        known = limit_of(shardlang.memory(LAYER, "B", mesh="X", sizes=sizes))
        at = found.threshold.subs({D: d, F: f, X: x, M: 10**6})
        assert known.value == pytest.approx(float(at))
        assert need(LAYER, B=known.whole // x * x, **{k: v for k, v in sizes.items() if k != "M_hbm"}) <= 10**6
        assert need(LAYER, B=(known.whole // x + 1) * x, **{k: v for k, v in sizes.items() if k != "M_hbm"}) > 10**6


def test_the_peak_and_the_start_have_each_their_limit_where_they_differ():
    report = shardlang.memory(LAYER, "B", mesh="X=4", sizes={"D": 64, "F": 256, "M_hbm": 10**6})
    assert [of for of, _ in report.limits] == ["peak", "resident"]
    assert limit_of(report).value < limit_of(report, "resident").value
    assert [of for of, _ in shardlang.memory(ADAM, "X").limits] == ["peak"]


def test_a_need_that_grows_with_the_square():
    text = "Q[B, T, K] · R[B, S, K] -> P[B, T, S]\nlet S = T"
    found = limit_of(shardlang.memory(text, "T", sizes={"B": 2, "K": 4, "M_hbm": 10**6}))
    assert found.exact
    last = found.whole
    assert 2 * 2 * (2 * last * 4 + last * last) <= 10**6 < 2 * 2 * (2 * (last + 1) * 4 + (last + 1) ** 2)


def test_padded_blocks_are_searched():
    found = limit_of(shardlang.memory("A[B_X, D]", "B", mesh="X=4", sizes={"D": 1, "M_hbm": 20}, uneven=True))
    assert found.whole in (40, 41)  # whole blocks of ten
    assert need("A[B, D]", B=found.whole, D=1) / 4 <= 20 + 0.5


@pytest.mark.parametrize("variable", ["Q", "B+D", "", "B/B"])
def test_what_is_no_ratio_of_symbols(variable):
    with pytest.raises(ValueError, match=r"symbol|ratio|cancels"):
        shardlang.memory("A[B, D]", variable)


def test_a_variable_that_went_with_a_refused_statement():
    report = shardlang.memory("A[I_X, J_X]\nW[D]", "I")
    assert (report.ok, report.limits) == (False, ())
    with pytest.raises(shardlang.OptionError, match="expected a name"):
        shardlang.memory("A[B]", 3)


def _held(text, variable, whole, keywords):
    """The bytes of the arrays of the start with a whole size put in, and the codes of the findings."""
    given = {**keywords, "sizes": dict(keywords["sizes"]), "mesh": dict(keywords["mesh"])}
    given["mesh" if variable in given["mesh"] else "sizes"][variable] = whole
    report = shardlang.memory(text, **given)
    return report.value(report.resident.bytes), {found.code for found in report.diagnostics}


@pytest.mark.parametrize("room", [2000, 4100, 6000, 7000, 9999, 20000])
@pytest.mark.parametrize(("variable", "step"), [("X", -1), ("I", 1)])
def test_a_whole_limit_counts_padding(room, variable, step):
    keywords = {"sizes": {"I": 10, "J": 1000, "M_hbm": room}, "mesh": {"X": 3}, "uneven": True}
    whole = limit_of(shardlang.memory("A[I_X, J]", variable, **keywords)).whole
    assert _held("A[I_X, J]", variable, whole, keywords)[0] <= room
    if whole + step > 0:
        assert _held("A[I_X, J]", variable, whole + step, keywords)[0] > room


def test_ten_rows_over_three_devices_are_four_each():
    sizes = {"I": 10, "J": 1000, "M_hbm": 7000}  # three rows of 2000 bytes fit, four do not
    assert limit_of(shardlang.memory("A[I_X, J]", "X", mesh="X", sizes=sizes, uneven=True)).whole == 4
    assert limit_of(shardlang.memory("A[I_X, J]", "X", mesh="X", sizes=sizes)).whole == 3
    one = limit_of(shardlang.memory("A[I_X, J]", "X", mesh="X", sizes={**sizes, "M_hbm": 1999}, uneven=True))
    assert (one.relation, one.whole) == ("never", None)  # no device holds less than a row


def test_the_nearest_size_that_divides():
    keywords = {"sizes": {"D": 10_000, "F": 100_000, "M_hbm": 16e9 + 8e3}, "mesh": {"X": 16}}
    text = "A[B_X, D]; W[D_X, F]"
    found = limit_of(shardlang.memory(text, "B", **keywords))
    assert found.divisible == found.whole // 16 * 16 != found.whole
    taken, codes = _held(text, "B", found.divisible, keywords)
    assert taken <= 16e9 + 8e3
    assert "SL205" not in codes
    assert "SL205" in _held(text, "B", found.whole, keywords)[1]
    fewest = limit_of(shardlang.memory(ADAM, "X", sizes={"P": 70e9, "M_hbm": 80e9}, mesh="X"))
    assert (fewest.whole, fewest.divisible) == (9, 10)  # 7e10 is no multiple of 9
    none = limit_of(shardlang.memory("A[I_X, J]", "X", sizes={"I": 7, "J": 1000, "M_hbm": 1999}, mesh="X"))
    assert (none.whole, none.divisible) == (8, None)  # a row is 2000 bytes


def test_what_does_not_fit_for_any_size_says_so():
    text = "A[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}; AllReduce_X C[B,F]{U_X} -> C[B,F]"
    sizes = {"B": 6144, "F": 320, "M_hbm": 6274288}  # C alone, before and after, is 4·B·F = 7864320 bytes
    found = limit_of(shardlang.memory(text, "D", mesh="X=2", sizes=sizes, hardware="tpu-v5p"))
    assert (found.relation, found.whole, found.requires) == ("never", None, ())


def test_solving_for_the_capacity():
    found = limit_of(shardlang.memory("A[I_X, J]", "M_hbm", mesh="X=4", sizes={"I": 8, "J": 100}))
    assert (found.relation, found.value, found.exact) == (">", 8 * 100 * 2 / 4, True)
