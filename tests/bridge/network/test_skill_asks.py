"""A skill in its own process asks a real server through a real bridge."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.core.errors import SkillError, UnreachableError
from assistant.core.network import exchange
from assistant.core.network.exchange import Answer, Check, Fetch, Fetched, Refused, ask_bridge
from assistant.skill import Response
from assistant.skill.memory import MemoryNetwork
from assistant.skill.testing import memory_context
from skills.capabilities import network as skills_network
from skills.isolation import network
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from skills.isolation.permissions import Permissions
from skills.isolation.quarantine import STRIKES
from skills.registry import load_registry
from tests.support.isolated_skills import call, written
from tests.support.mosquitto import PATIENCE_S
from tests.support.network_bridge import SKILL, Bridge, loaded, with_network
from tests.support.web_server import WebServer

KEY = "k3y0fTheCellar"
Recipes = Callable[..., IsolatedSkill]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bridge, and not who waits for it, says what is wrong, however busy the machine is."""
    monkeypatch.setattr(exchange, "LONGER_S", 60.0)


@pytest.fixture
def web(things: ExitStack) -> WebServer:
    return things.enter_context(closing(WebServer()))


@pytest.fixture
def bridge(web: WebServer, things: ExitStack, tmp_path: Path) -> Bridge:
    """A bridge that lets the skill ask the server."""
    return Bridge(tmp_path, (f"network:{web.origin}",), things)


@pytest.fixture
def recipes(web: WebServer, things: ExitStack, tmp_path: Path) -> Recipes:
    """Loads a skill whose function does this, and that may ask the server, or what is `granted`."""

    def load(body: str, granted: tuple[str, ...] | None = None) -> IsolatedSkill:
        permissions = (f"network:{web.origin}",) if granted is None else granted
        return loaded(tmp_path, things, permissions, body.replace("WEB", web.origin))

    return load


def test_a_skill_hears_what_a_server_says(bridge: Bridge, recipes: Recipes, web: WebServer) -> None:
    skill = recipes(
        """found = context.network.get("WEB/hello?a=b")
    there = context.network.get("WEB/missing").status
    sent = context.network.post("WEB/hello", '{"cups": 5}').body
    return Reply(f"{found.status} {found.text}, {there}, {sent}")"""
    )
    reply = call(skill, "Probe", with_network(bridge.socket))
    assert reply.text == """200 hello, 404, b'hello {"cups": 5}'"""
    assert [path for path, _, _ in web.asked] == ["/hello?a=b", "/missing", "/hello"]


@pytest.mark.parametrize(
    "granted", [(), ("timers",), ("network:http://192.168.1.20",), ("network:https://127.0.0.1",)]
)
def test_without_the_permission_the_refusal_names_it(
    bridge: Bridge, recipes: Recipes, web: WebServer, granted: tuple[str, ...]
) -> None:
    skill = recipes('return Reply(context.network.get("WEB/hello").text)', granted)
    with pytest.raises(SkillError, match=f'needs the permission "network:{web.origin}"') as refused:
        call(skill, "Probe", with_network(bridge.socket))
    assert refused.value.code == "skill.permission"
    assert web.asked == []


def test_the_bridge_goes_by_the_settings_as_they_are_now(
    bridge: Bridge, recipes: Recipes, web: WebServer
) -> None:
    """Whatever the skills' process takes for granted: here it is told that the skill may."""
    skill = recipes('return Reply(context.network.get("WEB/hello").text)')
    bridge.grant("timers")
    with pytest.raises(SkillError, match=f'do not grant recipes "network:{web.origin}"'):
        call(skill, "Probe", with_network(bridge.socket))
    assert web.asked == []
    bridge.grant(f"network:{web.origin}")
    assert call(skill, "Probe", with_network(bridge.socket)).text == "hello"


@pytest.mark.parametrize(
    "path", ["elsewhere", "large", "silent", "drip", "drip-headers", "compressed", "rubbish"]
)
def test_of_a_server_that_is_no_good_the_skill_may_say_so_itself(
    bridge: Bridge, recipes: Recipes, path: str
) -> None:
    skill = recipes(
        f"""try:
        return Reply(context.network.get("WEB/{path}").text)
    except UnreachableError:
        return Reply("I can't reach the recipe server.", done=False)"""
    )
    reply = call(skill, "Probe", with_network(bridge.socket))
    assert (reply.text, reply.done) == ("I can't reach the recipe server.", False)


def test_one_that_says_nothing_of_it_is_not_blamed_for_the_server(
    bridge: Bridge, recipes: Recipes
) -> None:
    skill = recipes('context.network.get("WEB/silent", within_s=0.1)')
    context = with_network(bridge.socket)
    for _ in range(STRIKES + 1):
        with pytest.raises(SkillError) as told:
            call(skill, "Probe", context)
        assert (told.value.code, told.value.part) == (UnreachableError.CODE, "recipes")
    assert call(skill, "Behave", context).text == "well"


def test_answers_that_never_come_end_before_the_skill_is_overdue(
    bridge: Bridge, recipes: Recipes
) -> None:
    skill = recipes(
        """for _ in range(8):
        try:
            context.network.get("WEB/silent")
        except UnreachableError:
            pass
    return Reply("in time")"""
    )
    assert call(skill, "Probe", with_network(bridge.socket)).text == "in time"


def test_without_a_bridge_nothing_is_reached_until_there_is_one(
    recipes: Recipes, web: WebServer, things: ExitStack, tmp_path: Path
) -> None:
    skill = recipes('return Reply(context.network.get("WEB/hello").text)')
    bridge = Bridge(tmp_path, (f"network:{web.origin}",), things)
    bridge.process.terminate()
    bridge.process.join(PATIENCE_S)
    assert bridge.process.exitcode == 0
    assert not bridge.socket.exists()
    with pytest.raises(SkillError, match="the bridge does not run") as told:
        call(skill, "Probe", with_network(bridge.socket))
    assert told.value.code == UnreachableError.CODE
    bridge = Bridge(tmp_path, (f"network:{web.origin}",), things)
    assert call(skill, "Probe", with_network(bridge.socket)).text == "hello"
    bridge.process.kill()  # its socket stays
    bridge.process.join()
    with pytest.raises(SkillError, match="the bridge does not run"):
        call(skill, "Probe", with_network(bridge.socket))
    bridge = Bridge(tmp_path, (f"network:{web.origin}",), things)
    assert call(skill, "Probe", with_network(bridge.socket)).text == "hello"


def test_a_trial_has_no_network(recipes: Recipes, web: WebServer) -> None:
    skill = recipes('return Reply(context.network.get("WEB/hello").text)')
    with pytest.raises(SkillError, match="no network here"):
        call(skill, "Probe", with_network(None))
    assert web.asked == []


def test_a_skill_asks_only_so_often(
    bridge: Bridge, recipes: Recipes, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = recipes(
        """for _ in range(10):
        context.network.get("WEB/hello", within_s=1.0)
    return Reply("often")"""
    )
    context = with_network(bridge.socket)
    with pytest.raises(SkillError, match="more than 8 answers"):
        call(skill, "Probe", context)
    assert len(web.asked) == network.MOST_REQUESTS
    monkeypatch.setattr(network, "MOST_REQUESTS", 10)
    assert call(skill, "Probe", context).text == "often"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "WEB@evil.example/", "WEB/a b", "/hello"])
def test_what_is_no_url_is_told(bridge: Bridge, recipes: Recipes, url: str) -> None:
    skill = recipes(f'return Reply(context.network.get("{url}").text)')
    with pytest.raises(SkillError, match="a URL is refused"):
        call(skill, "Probe", with_network(bridge.socket))


def test_a_secret_goes_to_the_server_and_is_seen_nowhere_else(
    recipes: Recipes,
    web: WebServer,
    tmp_path: Path,
    things: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "secrets" / "recipes" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(f'origin = "{web.origin}"\nauthorization = "Bearer {KEY}"\n')
    file.chmod(0o600)
    more = f'[network]\nsecrets = "{file.parents[1]}"\n[log]\nlevel = "debug"\n'
    bridge = Bridge(tmp_path, (f"network:{web.origin}",), things, more)
    heard = list[Answer]()

    def overheard(path: Path, request: Fetch | Check, within_s: float) -> Answer:
        heard.append(ask_bridge(path, request, within_s))
        return heard[-1]

    monkeypatch.setattr(skills_network, "ask_bridge", overheard)
    skill = recipes(
        """from assistant.core.errors import SkillError
    told = []
    for secret, path in (("token", "hello"), ("token", "echo"), ("other", "hello")):
        try:
            told.append(context.network.get(f"WEB/{path}", secret=secret).text)
        except SkillError as error:
            told.append(error.message)
    return Reply(str(told))"""
    )
    reply = call(skill, "Probe", with_network(bridge.socket))
    assert [sent for _, sent, _ in web.asked] == [f"Bearer {KEY}"] * 2
    assert [type(answer) for answer in heard] == [Fetched, Refused, Refused]
    assert "repeats the secret" in reply.text
    assert "recipes asked" in bridge.log.read_text()
    assert KEY not in f"{heard} {reply} {bridge.log.read_text()}"


@pytest.mark.parametrize(
    "permission", ["network", "network:", "network:nas", "network:http://nas/recipes"]
)
def test_a_permission_must_name_a_server(recipes: Recipes, permission: str) -> None:
    with pytest.raises(SkillError, match="there is no permission"):
        recipes("return Reply('')", (permission,))


def test_a_server_is_granted_by_scheme_host_and_port() -> None:
    granted = Permissions(("network:HTTP://NAS.local:80", "home"))
    same = ("network:http://nas.local", "network:http://Nas.Local:80")
    assert granted.lacking(Permissions(same)) == ()
    others = ("network:https://nas.local", "network:http://nas.local:8080", "network:http://n")
    assert granted.lacking(Permissions(others)) == others


@pytest.mark.parametrize("asks", [True, False])
def test_what_asks_a_server_is_not_rehearsed(tmp_path: Path, web: WebServer, asks: bool) -> None:
    """A command for later is tried at once and taken back, which nobody can do to a server."""
    permissions = (f"network:{web.origin}",) if asks else ()
    folder = written(tmp_path, "recipes", SKILL.format(body="return Reply('')"), permissions)
    registry = load_registry([folder], builtin=False, host=Host({"recipes": permissions}))
    assert not registry.faults
    assert registry.rehearses("Probe") is not asks


def test_a_test_of_a_skill_says_what_a_server_answers() -> None:
    context = memory_context()
    assert isinstance(context.network, MemoryNetwork)
    context.network.answers["http://nas/a"] = Response(status=200, body=b"hello")
    assert context.network.post("http://nas/a", "x").text == "hello"
    with pytest.raises(UnreachableError):
        context.network.get("http://nas/b")
    assert context.network.asked == [("POST", "http://nas/a", "x"), ("GET", "http://nas/b", "")]
