"""The pictures in the documentation are what `plot` draws now. `--update-golden` writes them."""

import pytest
from click.testing import CliRunner

from shardlang.cli import group
from tests.docs.sessions import ROOT
from tests.pictures.drawn import Drawn, assert_legible

_LAYER = ["docs/examples/mlp-2d.shard", "--hw", "tpu-v5p", "--set", "B=65536,D=8192,F=32768"]
_SMALL = [*_LAYER[:-1], "B=8192,D=8192,F=32768"]
_PRODUCT = ["-e", "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]", "--hw", "tpu-v5p", "--mesh", "X=16,Y=4"]
_DECODING = ["docs/examples/weight-stationary.shard", "--hw", "tpu-v5p", "--set", "B=256,D=8192,F=32768"]
PICTURES = {
    "mesh": ["mesh", "-e", "A[I_X, J_Y]{U_Z}", "--mesh", "X=2,Y=2,Z=2"],
    "sweep": ["sweep", *_PRODUCT, "--for", "B/X", "--set", "D=8192,F=32768"],
    "roofline": ["roofline", *_LAYER],
    "streamed": ["roofline", *_SMALL, "--roofs", "math,ici,hbm,vmem,pcie"],
    "split": ["split", *_LAYER],
    "splits": ["split", *_DECODING, "--comms", "sum", "--split", "X*Y*Z=64"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_what_is_drawn(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    path = ROOT / "docs" / "pictures" / f"{name}.svg"
    made = CliRunner().invoke(group, ["plot", *PICTURES[name]], prog_name="shardlang", env={"NO_COLOR": "1"})
    assert made.exit_code == 0, made.output
    if request.config.getoption("--update-golden"):
        path.write_text(made.stdout, "utf-8", newline="\n")
    assert path.read_text("utf-8") == made.stdout
    assert len(made.stdout) < 25_000
    assert_legible(Drawn(made.stdout))


def test_every_picture_is_shown_and_none_is_left_over() -> None:
    page = (ROOT / "docs" / "commands" / "plot.md").read_text("utf-8")
    kept = {path.stem for path in (ROOT / "docs" / "pictures").iterdir()}
    assert kept == set(PICTURES)
    assert all(f"```{{image}} ../pictures/{name}.svg" in page for name in kept)
