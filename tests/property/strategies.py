"""What the laws and the random plans are tried on, as hypothesis strategies."""

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from shardlang.semantics.sharding import ArrayType, Sharding
from tests.property.cases import draw_case, draw_collective

MESH = {"X": 2, "Y": 3, "Z": 2}
LENGTHS = {"I": 12, "J": 24, "K": 36}  # every layout over the mesh cuts them into equal blocks

cases = st.randoms(use_true_random=False).map(draw_case)
collectives = st.randoms(use_true_random=False).map(draw_collective)

# The same examples in every run: a test that fails now and then says little. They are small as they are drawn.
calm = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@st.composite
def layouts(draw, dims, axes=tuple(MESH), kinds=("sum", "max", "min")):
    """A layout of an array: every axis on one of its dimensions, pending, or in no use."""
    places = {dim: [] for dim in dims}
    pending = []
    for axis in draw(st.permutations(axes)):
        place = draw(st.sampled_from([*dims, "pending", "idle"] if kinds else [*dims, "idle"]))
        if place == "pending":
            pending.append(axis)
        elif place != "idle":
            places[place].append(axis)
    kind = draw(st.sampled_from(kinds)) if pending else "sum"
    return Sharding(tuple(tuple(places[dim]) for dim in dims), tuple(sorted(pending)), kind)


@st.composite
def arrays(draw, dims=("I", "J"), **options):
    """An array with these dimensions in some layout."""
    return ArrayType(dims, draw(layouts(dims, **options)))
