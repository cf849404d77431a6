# Hark's set-up, checks and installation; `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
RUN_PACKAGES := libportaudio2 flite espeak-ng
SATELLITE_PACKAGES := libportaudio2 flite
TEST_PACKAGES := pulseaudio libasound2-plugins sox mosquitto minisign
WANTED := $(RUN_PACKAGES)
CORES := $(shell nproc)
PYTEST := $(VENV)/bin/python -m pytest
STORIES = $(shell grep -rl --include='test_*.py' 'mark\.e2e' tests)
COVERAGE := $(VENV)/bin/coverage
COVERED := $(wildcard assistant/*/) audio nlu skills
test test-all test-changed test-long coverage test-set: WANTED += $(TEST_PACKAGES)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: run-set whisper ## set up, then speak to the real daemon without a sound card
	$(VENV)/bin/assistant demo

.PHONY: run
run: run-set whisper ## start the daemon here, in the foreground
	$(VENV)/bin/assistant run

.PHONY: piper
piper: run-set ## add the Piper voice engine; for the service: sudo make -C /opt/hark piper
	$(PIP) install --no-deps --require-hashes -r requirements/piper.txt

.PHONY: gpio
gpio: run-set ## add the mute button's GPIO; for the service: sudo make -C /opt/hark gpio
	$(PIP) install --no-deps --require-hashes -r requirements/gpio.txt

# On a board that is a satellite alone, it must not bring in what the daemon needs.
.PHONY: discovery
discovery: | $(VENV)/bin/python ## add being found, and finding satellites; for a service: sudo make -C /opt/hark discovery
	$(PIP) install --no-deps --require-hashes -r requirements/discovery.txt

.PHONY: hub
hub: run-set ## add the service for many rooms on Ray Serve, 500 MB; for one: sudo make -C /opt/hark hub
	$(PIP) install --no-deps --require-hashes -r requirements/hub.txt

.PHONY: report
report: run-set ## add plots of sensors' files; for the service: sudo make -C /opt/hark report
	$(PIP) install --no-deps --require-hashes -r requirements/report.txt

BASE ?=

.PHONY: satellite
satellite: $(VENV)/.satellite ## on a small board: be the ear and the voice of BASE=, another Hark or Home Assistant
	@test -n "$(BASE)" || { echo "run: make satellite BASE=192.168.1.20" >&2; exit 1; }
	@scripts/debian-packages $(SATELLITE_PACKAGES) || true
	$(VENV)/bin/assistant satellite --base $(BASE)

# Where bytecode is not to be written, each of the tests' thousand processes would compile all it
# loads.
test-parts test-stories test-changed test-long coverage: export PYTHONDONTWRITEBYTECODE :=

.PHONY: test
test: test-set lint ## set up, then run the gate: every promise of the README
	@$(MAKE) --no-print-directory tests

.PHONY: test-all
test-all: SET := not long
test-all: test-set lint ## the gate, and the depth of every optional feature
	@$(MAKE) --no-print-directory tests SET="$(SET)"

.PHONY: test-long
test-long: test-set ## what takes minutes each: kills at random, soaks, power cuts, slow figures
	$(PYTEST) -vv -m long

# A story told to a real daemon waits for sound half of the time: one is told on each core, and
# the other tests, which wait as well, run meanwhile with what the stories leave of the processor.
SET := not depth and not long
.PHONY: tests
tests:
	@cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && ASSISTANT_TEST_CACHE=$$cache \
		$(MAKE) --no-print-directory --jobs=2 test-parts test-stories SET="$(SET)"

.PHONY: test-parts
test-parts:
	MAKEFLAGS= nice -n 19 $(PYTEST) -n $$(($(CORES) * 3 / 2)) --dist worksteal --durations=60 -m "not e2e and $(SET)"

.PHONY: test-stories
test-stories:
	MAKEFLAGS= $(PYTEST) -n $(CORES) --dist loadfile --durations=60 -m "e2e and $(SET)" $(STORIES)

SINCE ?=
.PHONY: test-changed
test-changed: test-set ## the depth of the features that changed since SINCE=, or since the day before
	@files=$$($(VENV)/bin/python -m scripts.changed_depth $(SINCE)) && \
	if [ -z "$$files" ]; then echo "no feature with depth has changed"; else \
		MAKEFLAGS= $(PYTEST) -n $(CORES) --dist loadfile --durations=20 -m "depth and not long" $$files; \
	fi

# The part without daemons: a daemon's processes are killed too often to say what they ran.
.PHONY: coverage
coverage: test-set ## the share of lines and branches that the tests without a daemon take
	$(COVERAGE) erase
	$(COVERAGE) run -m pytest -n $(CORES) --dist worksteal -m "not e2e and not long"
	$(COVERAGE) combine --quiet
	@for package in $(COVERED); do \
		printf "%-24s %s %%\n" $$package $$($(COVERAGE) report --include="$$package/*" --format=total); \
	done

.PHONY: lint
lint: $(VENV)/.dev ## formatting, lint and types
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy

.PHONY: clean
clean: ## remove what `make` made here
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# ── set-up ──────────────────────────────────────────────────────────────────────────────────

# It hears free speech far better than what comes along; PULL=no does not try to fetch it. It is
# kept with the user's state, so that another clone finds it there.
PULL ?= yes
PULLED := assistant models pull whisper-tiny.en --if-reachable

.PHONY: whisper
whisper: | $(VENV)/.run
ifeq ($(PULL),yes)
	@$(VENV)/bin/$(PULLED)
endif

# Without these packages the assistant still starts: it says what it cannot hear or speak with.
.PHONY: run-set
run-set: $(VENV)/.run
	@scripts/debian-packages $(WANTED) || true

.PHONY: test-set
test-set: $(VENV)/.dev whisper
	@scripts/debian-packages $(WANTED)

$(VENV)/bin/python:
	@scripts/check-python $(PYTHON) $(WANTED)
	$(PYTHON) -m venv --clear $(VENV)

# enum34, which pvporcupine names, is left out: it would stand in for Python's own enum. Hence
# --no-deps; the requirements file is complete without it.
$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --no-deps --require-hashes -r requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/.satellite: requirements/satellite.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --no-deps --require-hashes -r requirements/satellite.txt
	$(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	$(PIP) install --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

.PHONY: requirements
requirements: $(VENV)/.dev ## pin today's releases that the oldest Python takes; then: sudo make check-systems
	scripts/pin requirements/run.txt pyproject.toml requirements/build.in
	scripts/pin requirements/dev.txt requirements/dev.in
	scripts/pin requirements/piper.txt requirements/piper.in
	scripts/pin requirements/discovery.txt requirements/discovery.in
	scripts/pin requirements/hub.txt requirements/hub.in
	scripts/pin requirements/report.txt requirements/report.in
	scripts/pin requirements/satellite.txt requirements/satellite.in requirements/build.in
	scripts/pin-gpio

# CHECK="demo" leaves the tests out; ARM=1 adds an emulated 64-bit ARM, ARM=only leaves the others
# out; ATTACK=1 only attacks the service of Debian 12 under the limits of its units. Only pip's and
# the proxies' variables reach the roots.
.PHONY: check-systems
check-systems: ## as root: the README's commands and the service in bare Debian 12 and 13
	@test "$$(id -u)" -eq 0 || { echo "run: sudo make check-systems" >&2; exit 1; }
	@scripts/debian-packages git debootstrap systemd-container $(if $(ARM),qemu-user-static)
	CHECK="$(CHECK)" ARM="$(ARM)" ATTACK="$(ATTACK)" $(PYTHON) -m scripts.systems

# ── a service of this machine ───────────────────────────────────────────────────────────────

DESTDIR ?=
HOME_OF_HARK := $(DESTDIR)/opt/hark
UNITS := assistant.service assistant-bridge.service assistant-satellites.service
SATELLITE_UNIT := assistant-satellite.service
UNIT_DIRECTORY := $(DESTDIR)/etc/systemd/system
SHIPPED := $(wildcard assistant audio nlu skills models docs)
SYSTEMD_RUNS := test -d /run/systemd/system

.PHONY: install
install: place ## as root: put the daemon under systemd; with DESTDIR= only place its files there
ifeq ($(DESTDIR),)
	@scripts/debian-packages $(WANTED)
	umask 022 && $(MAKE) --no-print-directory -C $(HOME_OF_HARK) $(VENV)/.run PYTHON=$(PYTHON)
	$(HOME_OF_HARK)/$(VENV)/bin/python -m compileall -q $(SHIPPED:%=$(HOME_OF_HARK)/%)
	id -u assistant >/dev/null 2>&1 || useradd --system --user-group --groups audio \
		--home-dir /var/lib/hark --no-create-home --shell /usr/sbin/nologin assistant
	install -d -o assistant -g assistant -m 700 /var/lib/hark /var/lib/hark/pairing
ifeq ($(PULL),yes)
	$(HOME_OF_HARK)/$(VENV)/bin/$(PULLED)
endif
	@if $(SYSTEMD_RUNS); then \
		systemctl daemon-reload && systemctl enable --quiet $(UNITS) && systemctl restart $(UNITS) && \
		echo "Hark runs; see: systemctl status assistant, assistant doctor"; \
	else \
		echo "Hark is installed. systemd does not run here; there: systemctl enable --now $(UNITS)"; \
	fi
endif

.PHONY: install-satellite
install-satellite: ## as root, on a small board: put the satellite of BASE= under systemd
	@test -n "$(BASE)" || { echo "run: sudo make install-satellite BASE=192.168.1.20" >&2; exit 1; }
	$(MAKE) --no-print-directory place UNITS=$(SATELLITE_UNIT)
	printf 'SATELLITE=--base %s\n' "$(BASE)" > $(DESTDIR)/etc/hark/satellite
ifeq ($(DESTDIR),)
	@scripts/debian-packages $(SATELLITE_PACKAGES)
	umask 022 && $(MAKE) --no-print-directory -C $(HOME_OF_HARK) $(VENV)/.satellite PYTHON=$(PYTHON)
	id -u assistant >/dev/null 2>&1 || useradd --system --user-group --groups audio \
		--home-dir /var/lib/hark --no-create-home --shell /usr/sbin/nologin assistant
	@if $(SYSTEMD_RUNS); then systemctl daemon-reload && systemctl enable --quiet --now $(SATELLITE_UNIT); fi
endif

.PHONY: place
place:
	@test -n "$(DESTDIR)" || test "$$(id -u)" -eq 0 || { echo "run: sudo make install" >&2; exit 1; }
	install -d -m 755 $(HOME_OF_HARK) $(UNIT_DIRECTORY) $(DESTDIR)/etc/hark $(DESTDIR)/usr/local/bin
	rm -rf $(SHIPPED:%=$(HOME_OF_HARK)/%)
	cp -R --preserve=timestamps $(SHIPPED) scripts requirements systemd Makefile pyproject.toml \
		README.md LICENSE $(HOME_OF_HARK)
	chmod -R u=rwX,go=rX $(SHIPPED:%=$(HOME_OF_HARK)/%)
	install -m 644 $(UNITS:%=systemd/%) $(UNIT_DIRECTORY)
	test -e $(DESTDIR)/etc/hark/config.toml || install -m 644 systemd/config.toml $(DESTDIR)/etc/hark
	ln -sf /opt/hark/$(VENV)/bin/assistant $(DESTDIR)/usr/local/bin/assistant

.PHONY: uninstall
uninstall: ## as root: take the service away; settings, state and the user `assistant` stay
	@test -n "$(DESTDIR)" || test "$$(id -u)" -eq 0 || { echo "run: sudo make uninstall" >&2; exit 1; }
ifeq ($(DESTDIR),)
	! $(SYSTEMD_RUNS) || systemctl disable --quiet --now $(UNITS)
endif
	rm -rf $(HOME_OF_HARK) $(UNITS:%=$(UNIT_DIRECTORY)/%) $(DESTDIR)/usr/local/bin/assistant
ifeq ($(DESTDIR),)
	! $(SYSTEMD_RUNS) || systemctl daemon-reload
endif
	@echo "Kept: $(DESTDIR)/etc/hark and $(DESTDIR)/var/lib/hark, with their owner, the user assistant"
