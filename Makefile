# What the package is built, checked and shown with. `make test` is all that a change has to pass.
# FILTER=name runs only the tests whose name matches.

SOURCES := Package.swift Sources Tests $(wildcard Plugins Samples Benchmarks Integrations)
TESTING := --disable-xctest $(if $(FILTER),--filter '$(FILTER)')

# Many tests wait for real servers on few cores: more of them at once only make each other late.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

.PHONY: build install manual docs drop-in api-check demo demo-drop-in deb test kill-test kill-at-write soak tree-test fuzz-cookies fuzz-cache fuzz-websocket lint format sanitize test-newest test-heap test-debian13 bench bench-check call-count integrations-test clean build-dependencies deb-dependencies demo-dependencies test-dependencies

build: build-dependencies
	@Scripts/build-without-warnings

# Swift's libraries and libcurl's are linked into the command (LINKING=shared: only Swift's), which halves its start-up time. The transfer
# service has the shared libraries of `drop-in`, so that it can load plugins, and they are installed with it. The man page and completions go
# where man and the shells look for them.
install: build-dependencies
	@programs=$$(LINKING=$(LINKING) Scripts/build-command) && folder=$$(Scripts/install-drop-in) && \
	  libraries=urlloadd-$${folder##*/url-loading-} && \
	  Scripts/link-service "$$folder" .build/install/urlloadd "\$$ORIGIN/../lib/$$libraries" && \
	  Scripts/install-command "$$programs" .build/install/urlloadd "$$folder" "$$libraries" "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"

# The man page, by what the command says of its options.
manual: build-dependencies
	@swift build --product urlload
	@Scripts/make-manual "$$(swift build --show-bin-path)/urlload"

# The manual and the reference as a static site in .build/docs; fails on any warning.
docs: build-dependencies
	@Scripts/make-docs

# A folder whose toolset gives this library to every package of a graph that imports FoundationNetworking. It is put into PREFIX/lib,
# or into .build where PREFIX is not set.
drop-in: build-dependencies
	@folder=$$(Scripts/install-drop-in $(if $(PREFIX),'$(PREFIX)/lib')) && printf 'swift build %s\n' \
	  "--toolset $$folder/url-loading.json" "--static-swift-stdlib --toolset $$folder/url-loading-static.json"

# Debian packages in .build/deb: `urlload`, and the drop-in folder for the compiler that is there. REVISION=2 is the last part of their version.
deb: build-dependencies deb-dependencies
	@Scripts/make-deb $(REVISION)

# The public declarations beside the lists in API; WRITE=1 writes these anew.
api-check: build-dependencies
	@Scripts/api-check

# Loads real bytes through every scheme, from servers that it starts on the loopback address.
demo: build-dependencies demo-dependencies
	@Scripts/demo

# One program on the toolchain's FoundationNetworking and on the drop-in folder, which it builds.
demo-drop-in: build-dependencies demo-dependencies
	@Scripts/demo-drop-in

test: build-dependencies test-dependencies lint
	@Scripts/build-without-warnings --build-tests
	@Scripts/module-map --quiet
	@Scripts/build-snippets >/dev/null
	@Scripts/make-docs >.build/docs.log 2>&1 || { cat .build/docs.log >&2; exit 1; }
	@FILTER='$(FILTER)' LANE='$(LANE)' Scripts/run-tests

# A process that stores cookies, caches and downloads, killed at 200 random moments; KILLS sets another number. A few are among the tests.
kill-test: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_KILLS=$(or $(KILLS),200) swift test --skip-build --disable-xctest --filter 'KillTests' </dev/null

# Transfers of each scheme in the background, through each fault of program, service, server and disk: a download of DOWNLOAD bytes (1 GiB)
# and an upload of UPLOAD bytes (256 MiB), with KILLS kills (50), or a server that is gone or a disk that is full for ABSENCE seconds (150).
# Then TASKS downloads (10,000) that end while no program is there, and a list of 100,000 tasks. A few in small are among the tests.
soak: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_SOAK=whole URL_LOADING_SOAK_DOWNLOAD=$(or $(DOWNLOAD),1073741824) \
	  URL_LOADING_SOAK_UPLOAD=$(or $(UPLOAD),268435456) URL_LOADING_SOAK_KILLS=$(or $(KILLS),50) \
	  URL_LOADING_SOAK_ABSENCE=$(or $(ABSENCE),150) URL_LOADING_SOAK_TASKS=$(or $(TASKS),10000) \
	  swift test --skip-build --disable-xctest --filter 'SoakTests|ListMemoryTests' </dev/null

# The transfer service, killed in front of each call that changes a file, and the machine with it: what was acknowledged is there, and what
# it left is a whole queue. A sample of the calls is among the tests.
kill-at-write: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_EVERY_WRITE=1 swift test --skip-build --disable-xctest --filter 'BackgroundWriteKillTests|MachineCrashTests' </dev/null

# What comes from servers and files as cookies, changed at random for SECONDS_TO_RUN seconds (600). A part with fixed seeds is among the tests.
fuzz-cookies: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_FUZZ_SECONDS=$(or $(SECONDS_TO_RUN),600) swift test --skip-build --disable-xctest --filter 'CookieFuzzTests' </dev/null

# A tree of FILES files (2,000) with odd names, copied between each two schemes, and interrupted. One of 120 is among the tests.
tree-test: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@TREE_FILES=$(or $(FILES),2000) swift test --skip-build --disable-xctest --filter 'TreeCopyTests' </dev/null

# What servers and files say to a cache, in the same way.
fuzz-cache: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_FUZZ_SECONDS=$(or $(SECONDS_TO_RUN),600) swift test --skip-build --disable-xctest --filter 'CacheFuzzTests' </dev/null

# What a server sends on a WebSocket, in the same way.
fuzz-websocket: build-dependencies test-dependencies
	@Scripts/build-without-warnings --build-tests
	@URL_LOADING_FUZZ_SECONDS=$(or $(SECONDS_TO_RUN),600) swift test --skip-build --disable-xctest --filter 'WebSocketFuzzTests' </dev/null

lint:
	@swift format lint --strict --parallel --recursive $(SOURCES)

format:
	@swift format format --in-place --parallel --recursive $(SOURCES)

# Each sanitizer has a build of its own, optimized, which takes a fraction of the time. That of the thread sanitizer is without the
# optimizer for SIL: it would copy the standard library's code into ours, and the sanitizer does not see the reference counts by which
# arrays are shared between threads. The leak check is off: it takes what Swift reaches through tagged pointers, such as a Data in a global,
# for leaked. Tests measure memory and watch weak references instead. By default the thread sanitizer has each process sleep for a second
# when it exits, with its sockets open, and takes a minute to read the symbols of a service that a test crashes.
sanitize: build-dependencies test-dependencies
	@URL_LOADING_SANITIZING=address ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address -Xswiftc -O -Xcc -O1 \
	  --scratch-path .build/sanitize-address $(TESTING) </dev/null
	@URL_LOADING_SANITIZING=thread TSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/thread-sanitizer-suppressions:atexit_sleep_ms=0:handle_segv=0 \
	  swift test --sanitize=thread -Xswiftc -O -Xswiftc -Xfrontend -Xswiftc -disable-sil-perf-optzns -Xcc -O1 \
	  --scratch-path .build/sanitize-thread $(TESTING) </dev/null

# The tests that load over the network, with the newest libraries instead of the system's; after `make test`, whose program it runs.
test-newest: test-dependencies
	@Scripts/test-newest

# The demo and the tests on Debian 13, in a folder that is made by the first run; needs root, or sudo without a password.
test-debian13:
	@Scripts/on-debian 13 make demo test

# The tests of transfers and SFTP with malloc's checks of the heap, which find what C libraries do to it; after `make test`, whose program it
# runs. LIBRARIES=newest does it with the newest libraries.
test-heap: test-dependencies
	@Scripts/test-heap

# All peers and this package on the same work. ONLY=W1,S2 does a part of it, ROUNDS=3 sets the rounds. LIBRARIES=newest compares the system's
# libraries with the newest instead, by programs in C and ours.
bench: build-dependencies test-dependencies
	@Scripts/bench

# What a load costs in instructions, beside Benchmarks/instructions.json; WRITE=1 writes that anew.
bench-check: build-dependencies test-dependencies
	@Scripts/bench-check

# The functions that a load passes, for http, file and a protocol class of one's own, by a debugger's evidence. WRITE=1 writes them into DEVELOPERS.md.
call-count: build-dependencies
	@Scripts/count-calls

# The listeners for tracing and metrics, and sessions as services: a package of its own, with dependencies of its own.
integrations-test: build-dependencies
	@Scripts/build-without-warnings --package-path Integrations --build-tests
	@swift test --package-path Integrations --skip-build $(TESTING) </dev/null

clean:
	@rm -rf .build

build-dependencies:
	@Scripts/install-build-dependencies

deb-dependencies:
	@command -v dpkg-shlibdeps >/dev/null && command -v lintian >/dev/null && command -v patchelf >/dev/null || \
	  Scripts/apt-install dpkg-dev lintian patchelf

demo-dependencies:
	@Scripts/install-test-dependencies demo

test-dependencies:
	@Scripts/install-test-dependencies
