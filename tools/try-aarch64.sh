#!/usr/bin/env bash
# Cross-compiles the library, the command and the tests for AArch64 and runs suites under qemu-user:
#   tools/try-aarch64.sh [suite...]        default: core io linalg learn metrics
# Libraries are unpacked, not installed, into build/aarch64/root; only the compiler and the emulator go into this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
suites=("${@:-core}")
[ $# -gt 0 ] || suites=(core io linalg learn metrics)
needed=(g++-aarch64-linux-gnu qemu-user debootstrap)
dpkg-query -W "${needed[@]}" >/dev/null 2>&1 || apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${needed[@]}"

build=$PWD/build/aarch64
root=$build/root
if [ ! -e "$root/ready" ]; then
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -1)
  packages=libopenblas-dev,libeigen3-dev,libboost-dev,libcli11-dev,libfmt-dev,nlohmann-json3-dev,libhdf5-dev,libzip-dev
  packages+=,libxxhash-dev,libjpeg-dev,libpng-dev,libwebp-dev,libssl-dev,libgtest-dev,libgmock-dev,libc6-dev,libstdc++-12-dev,zlib1g-dev
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --arch=arm64 --variant=minbase --download-only --include="$packages" "$release" "$root" "$mirror"
  for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  # Alternatives are made by scripts of the packages, which do not run here; absolute links would leave the root.
  openblas=$root/usr/lib/aarch64-linux-gnu/openblas-pthread
  for name in libopenblas.so libopenblas.so.0; do ln -sf "openblas-pthread/$name" "$root/usr/lib/aarch64-linux-gnu/$name"; done
  ls "$openblas"/libopenblas*.so* >/dev/null
  ln -sf hdf5-serial.pc "$root/usr/lib/aarch64-linux-gnu/pkgconfig/hdf5.pc"
  touch "$root/ready"
fi

cat > "$build/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_OBJDUMP aarch64-linux-gnu-objdump)
set(CMAKE_SYSROOT $root)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;$root)
TOOLCHAIN
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=
export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig
cmake -S . -B "$build/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 -DASSAY_BUILD_EXAMPLES=OFF -DASSAY_WITH_TORCH=OFF \
  -DASSAY_WITH_ONNX=OFF -DASSAY_WITH_WEB=OFF >/dev/null
targets=(assay_command)
for suite in "${suites[@]}"; do targets+=("${suite}_tests"); done
cmake --build "$build/build" --target "${targets[@]}"
file "$build/build/assay"
for suite in "${suites[@]}"; do
  echo "aarch64: $suite"
  qemu-aarch64 -L "$root" "$build/build/tests/${suite}_tests" --gtest_brief=1 --gtest_filter=-*DeathTest*  # those start the program again, which takes the emulator
done
