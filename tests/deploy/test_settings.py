"""The samples of pbmserv.toml: all settings are there, with their defaults, and what stands there loads."""

import re
import tomllib

import pytest

from pbmserv.cli.config import KNOWN, Settings, load_settings
from pbmserv.cli.serve import road_out
from tests.cli.terminal import Terminal
from tests.deploy.samples import sample

LIVE = {"data"}
"""What stands there with another value than the default, since systemd's units need it."""


def uncommented() -> str:
    """The sample with every setting in force."""
    return re.sub(r"(?m)^#([a-z_]+ = )", r"\1", sample("pbmserv.toml"))


def test_every_setting_is_explained() -> None:
    """Each once, below a comment."""
    names = re.findall(r"(?m)^#?([a-z_]+) = ", sample("pbmserv.toml"))
    lacking, unknown = KNOWN.keys() - set(names), set(names) - KNOWN.keys()
    assert not lacking, f"deploy/pbmserv.toml does not explain {sorted(lacking)}"
    assert not unknown, f"deploy/pbmserv.toml explains {sorted(unknown)}, which are no settings"
    assert len(names) == len(set(names)), "deploy/pbmserv.toml has a setting twice"
    for paragraph in sample("pbmserv.toml").split("\n\n"):
        if re.search(r"(?m)^#?[a-z_]+ = ", paragraph):
            assert paragraph.startswith("# "), paragraph


def test_as_it_stands_it_changes_nothing_but_the_folder(terminal: Terminal) -> None:
    (terminal.folder / "pbmserv.toml").write_text(sample("pbmserv.toml"))
    found, defaults = load_settings({}), Settings()
    assert tomllib.loads(sample("pbmserv.toml")).keys() == LIVE
    for name in set(KNOWN) - LIVE:
        assert getattr(found, name) == getattr(defaults, name), name


def test_what_is_commented_out_is_the_default(terminal: Terminal) -> None:
    (terminal.folder / "pbmserv.toml").write_text(uncommented())
    found, defaults = load_settings({}), Settings()
    for name in set(KNOWN) - LIVE:
        default = getattr(defaults, name)
        if default is not None:
            assert getattr(found, name) == default, name
        else:
            assert getattr(found, name), "a default that TOML cannot say is shown by an example"


def test_a_mailbox_at_a_provider(terminal: Terminal) -> None:
    (terminal.folder / "pbmserv.toml").write_text(sample("mailbox.toml"))
    shown = terminal.run("config", "--json").rows
    assert shown["PBMSERV_IMAP"] == "imaps://club%40example.org@imap.example.org"
    (terminal.folder / "password").write_text("app password\n")
    own = {"PBMSERV_OUT_PASSWORD_FILE": "password", "PBMSERV_IMAP_PASSWORD_FILE": "password"}
    terminal.settings |= own | {"PBMSERV_DATA": "data"}
    terminal.succeed("config")
    for way in re.findall(r'(?m)^#?out = "(.*)"', sample("mailbox.toml")):
        road_out(Settings(out=way, out_password="app password", out_password_file=None))().close()


@pytest.mark.parametrize("name", ["pbmserv.toml", "mailbox.toml"])
def test_no_secret_stands_in_a_sample(name: str) -> None:
    found = tomllib.loads(uncommented() if name == "pbmserv.toml" else sample(name))
    assert [found[key] for key in found if key.endswith("password")] in ([], ["", "", ""])
