"""The random cases as hypothesis strategies."""

from hypothesis import strategies as st

from tests.property.cases import draw_case, draw_collective

cases = st.randoms(use_true_random=False).map(draw_case)
collectives = st.randoms(use_true_random=False).map(draw_collective)
