# Front of the build. Presets live in CMakePresets.json; packages in tools/install_deps.sh.
PRESET ?= release
BUILD  := build/$(PRESET)
PREFIX ?= /usr/local
CONFIGURE = cmake --preset $(PRESET) >$(if $(VERBOSE),/dev/stdout,/dev/null)
# How far a build is, and for how long it has been running.
export NINJA_STATUS := [%p, %es] 
# $(call beside,PARTS) COMMAND $(both): the command, while packages that it does not need are installed; fails where either does.
beside = tools/install_deps.sh $(1) & packages=$$!;
both = ; built=$$?; wait $$packages && exit $$built

.PHONY: all engine page build demo gallery test test-long bench install deb clean

all: build

# The engine and its Python module: all that scripts, pictures and the command line need.
engine:
	@tools/install_deps.sh engine
	@$(CONFIGURE)
	@[ -e $(BUILD)/python/launcher ] && [ -n "$$(ls $(BUILD)/python/_scree.*.so 2>/dev/null)" ] || echo "building the engine: about 2 minutes on 2 cores"
	@$(call beside,look) cmake --build --preset $(PRESET) --target scree_python $(both)

# The page of `scree view`.
page:
	@tools/install_deps.sh page extras
	@$(CONFIGURE)
	@cmake --build --preset $(PRESET) --target scree_page

build: engine page

demo: engine
	@./scree run examples/drum.py --out out/drum
	@./scree render out/drum --out out/drum/picture.png
	@./scree info out/drum
	@echo "picture: out/drum/picture.png   results: out/drum/results.h5"

# Runs the examples, draws their pictures, writes docs/gallery.md.
gallery: build
	@tools/build_gallery.py

test:
	@tools/install_deps.sh engine page ranks gtest
	@$(CONFIGURE) -DSCREE_TESTS=ON
	@echo "building the engine, the page and the tests: about 4 minutes on 2 cores from nothing"
	@$(call beside,look extras test) cmake --build --preset $(PRESET) $(both)
	@cd $(BUILD) && ctest --output-on-failure --parallel $$(($$(nproc) + 1))

# Every test, and where it has a longer form (more seeds, steps, sizes) that one.
test-long: export SCREE_LONG = 1
test-long: test

bench:
	@tools/install_deps.sh engine
	@cmake --preset native >/dev/null && cmake --build --preset native --target scree_python
	@SCREE_BUILD=build/native tools/bench.sh

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

# Debian packages of what is built: scree and scree-dev, in $(BUILD)/packages.
deb: build
	@tools/install_deps.sh deb
	@cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)/packages >$(if $(VERBOSE),/dev/stdout,/dev/null)
	@ls $(BUILD)/packages/*.deb

clean:
	@rm -rf build
