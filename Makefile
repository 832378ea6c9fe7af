# Front of the build. Presets live in CMakePresets.json; packages in tools/install_deps.sh.
PRESET ?= release
BUILD  := build/$(PRESET)
PREFIX ?= /usr/local

.PHONY: all deps build demo gallery test bench install clean

all: build

deps:
	@tools/install_deps.sh

$(BUILD)/build.ninja: CMakePresets.json CMakeLists.txt
	@cmake --preset $(PRESET) >$(if $(VERBOSE),/dev/stdout,/dev/null)

build: deps $(BUILD)/build.ninja
	@cmake --build --preset $(PRESET)

demo: build
	@./scree run examples/drum.py --out out/drum
	@./scree render out/drum --out out/drum/picture.png
	@./scree info out/drum
	@echo "picture: out/drum/picture.png   results: out/drum/results.h5"

# Runs the examples, draws their pictures, writes docs/gallery.md.
gallery: build
	@tools/build_gallery.py

test: build
	@cd $(BUILD) && ctest --output-on-failure --parallel 2

bench: deps
	@cmake --preset native >/dev/null && cmake --build --preset native
	@SCREE_BUILD=build/native tools/bench.sh

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf build
