# The one door: every goal sets up what it needs on a fresh Debian machine, then does its work.
.PHONY: build python wheel torch onnx mpi web docs test test-processors demo demo-hub bench study lint format check asan tsan fuzz faults coverage install clean help

PRESET ?= release
JOBS ?= $(shell nproc)

help:
	@echo "make build    release build, build/assay"
	@echo "make python   the Python module, build/python, and its tests"
	@echo "make wheel    a source distribution and a self-contained wheel in dist/, tried in fresh virtual environments (pip)"
	@echo "make torch    the plug-in that runs TorchScript networks (installs libtorch)"
	@echo "make onnx     the plug-in that runs ONNX networks (fetches ONNX Runtime into build/)"
	@echo "make mpi      the plug-in that shares out work under mpirun (installs Open MPI), and its tests"
	@echo "make web      the page that --html writes (installs Node.js), and its tests in a browser"
	@echo "make docs     the documentation as a site, build/docs/index.html (installs Node.js)"
	@echo "make demo     build, then rank representations of real handwritten digits"
	@echo "make demo-hub pre-train networks on drawn sprites, then rank them for other sprites (installs libtorch; minutes)"
	@echo "make test     build everything and run the tests"
	@echo "make test-processors  the numeric tests as other processors would run them"
	@echo "make bench    speed against plain NumPy, on this machine"
	@echo "make study    coverage of the intervals on simulated hubs (minutes)"
	@echo "make lint     clang-format, clang-tidy, rooms, docs"
	@echo "make asan     the tests under AddressSanitizer and UBSan"
	@echo "make tsan     the tests under ThreadSanitizer"
	@echo "make fuzz     every parser under libFuzzer, SECONDS=60 each (installs clang)"
	@echo "make faults   kills, damaged caches, full disks: is anything lost? (ROUNDS=3)"
	@echo "make coverage line coverage of the tests, room by room"
	@echo "make format   rewrite our sources with clang-format"
	@echo "make install  install under PREFIX (default /usr/local)"
	@echo "make clean    remove build/"

build:
	@tools/setup.sh build
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_BUILD_BENCH=OFF >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)

# Debian's Python, for its NumPy and pybind11 are the ones that were installed.
PYTHON ?= /usr/bin/python3
python:
	@tools/setup.sh python
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_python assay_command
	@PYTHONPATH=build/python ASSAY_COMMAND=build/assay $(PYTHON) -m unittest discover -s python/tests -t python/tests

# pip fetches the build's own tools into virtual environments under build/; the engine still needs Debian's packages alone.
WHEEL_PYTHON ?= $(PYTHON)
wheel:
	@tools/setup.sh wheel
	@tools/make_wheel.sh $(WHEEL_PYTHON)
	@tests/wheel/run.sh $(WHEEL_PYTHON)

torch:
	@tools/setup.sh torch
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_WITH_TORCH=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_torch

onnx:
	@tools/setup.sh onnx
	@tools/get_onnxruntime.sh
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_WITH_ONNX=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_onnx

mpi:
	@tools/setup.sh mpi
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_WITH_MPI=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_command assay_mpi
	@tests/mpi/run.sh

web:
	@tools/setup.sh web
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_WITH_WEB=ON -DASSAY_BUILD_EXAMPLES=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_command digits_hub
	@web/test.sh

# A site that opens from disk. Its tests run with those of the report: `make web`.
docs:
	@tools/setup.sh web
	@docs/site/build.sh

demo: build
	@examples/digits/run.sh

demo-hub:
	@tools/setup.sh torch
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=OFF -DASSAY_WITH_TORCH=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_command assay_torch sprites_data sprites_hub sprites_truth
	@examples/sprites/run.sh

test:
	@tools/setup.sh test
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)
	@ctest --preset $(PRESET) -j $(JOBS)

# The numeric suites under every processor's kernels that this one can run.
test-processors:
	@tools/setup.sh test
	@cmake --preset $(PRESET) -DASSAY_BUILD_TESTS=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)
	@tests/processors/run.sh build

bench:
	@tools/setup.sh bench
	@cmake --preset release -DASSAY_BUILD_BENCH=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@bench/run.sh

study: build
	@build/studies/coverage_study

lint:
	@tools/setup.sh lint
	@tools/lint.sh

format:
	@tools/setup.sh lint
	@git ls-files '*.cpp' '*.h' | xargs clang-format-16 -i

asan tsan: PRESET_NAME = $(if $(filter asan,$@),dev,$@)
asan tsan:
	@tools/setup.sh test
	@cmake --preset $(PRESET_NAME) >/dev/null
	@cmake --build --preset $(PRESET_NAME) -j $(JOBS)
	@ctest --preset $(PRESET_NAME) -j $(JOBS)

# Counters of earlier runs would count, too.
coverage:
	@tools/setup.sh test
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage -j $(JOBS)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS)
	@tools/coverage.py build/coverage

# One libFuzzer program per parser of files from outside; TARGETS="npy image" runs those only, EXECUTIONS=1000000 ends each
# after so many, if SECONDS do not end it before.
SECONDS ?= 60
EXECUTIONS ?= 0
fuzz:
	@tools/setup.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run.sh build/fuzz $(SECONDS) $(EXECUTIONS) $(TARGETS)

ROUNDS ?= 3
faults:
	@tools/setup.sh test
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target assay_command $(if $(wildcard build/libassay_torch.so),assay_torch)
	@$$(tools/find_python.sh) tests/faults/campaign.py --assay build/assay --rounds $(ROUNDS) $(if $(COMMANDS),--only $(COMMANDS))

check: test lint asan

install: build
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

clean:
	@rm -rf build
