"""Servers as permissions and URLs name them."""

from __future__ import annotations

import pytest

from assistant.core.network.origin import Origin, internet_variable, split


@pytest.mark.parametrize(
    ("url", "origin", "target"),
    [
        ("http://192.168.1.20:8080/a?b=c%20d", "http://192.168.1.20:8080", "/a?b=c%20d"),
        ("HTTPS://Api.Example.ORG", "https://api.example.org", ""),
        ("https://api.example.org:443/", "https://api.example.org", "/"),
        ("http://api.example.org:443", "http://api.example.org:443", ""),
        ("http://[fd00::1]:80?q=1", "http://[fd00::1]", "?q=1"),
        ("http://nas.local/a:80@b//c", "http://nas.local", "/a:80@b//c"),
    ],
)
def test_a_url_comes_apart_into_its_server_and_the_rest(url: str, origin: str, target: str) -> None:
    found, rest = split(url)
    assert (str(found), rest) == (origin, target)
    assert Origin.read(origin) == found
    assert found.permission == f"network:{origin}"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://nas/a",
        "file:///etc/passwd",
        "//nas/a",
        "http://",
        "http:///a",
        "http://user@nas/",
        "http://user:word@nas/",
        "http://nas:80@evil.example/",
        "http://nas\\@evil.example/",
        "http://nas#@evil.example/",
        "http://nas/a b",
        "http://nas/a\r\nHost: evil.example",
        "http://nas/a\n",
        "\thttp://nas/",
        "http://nas/ä",
        "http://bücher.example/",
        "http://nas:0/",
        "http://nas:65536/",
        "http://nas:８０/",
        "http://nas:port/",
        "http://nas/" + "a" * 4000,
    ],
)
def test_what_could_be_read_in_two_ways_is_no_url(url: str) -> None:
    with pytest.raises(ValueError, match=r"no URL|its path|no port") as refused:
        split(url)
    assert "evil" not in str(refused.value)


def test_a_permission_names_a_server_and_nothing_on_it() -> None:
    with pytest.raises(ValueError, match='leave "/a" away'):
        Origin.read("http://nas/a")


def test_what_root_writes_for_one_skill_is_no_other_skills() -> None:
    assert internet_variable("high_tide2") == "HARK_INTERNET_HIGH_TIDE2"
    assert internet_variable("high-tide2") == internet_variable("HIGH_TIDE2") == ""
