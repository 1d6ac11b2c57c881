#!/usr/bin/env bash
# Tries the two commands of the README on another Debian release, in a minimal root of its own:
#   tools/try-release.sh trixie [goal...]        default goals: demo test; as root
# The root is made once under build/try/ from the mirror this machine uses, the committed state is copied in, and everything
# else is installed by tools/setup.sh itself, as on a fresh machine. `rm -rf build/try` starts anew.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${1:?which release? for example: tools/try-release.sh trixie}
shift
goals=("${@:-demo}")
[ $# -gt 0 ] || goals=(demo test)
[ "$(id -u)" -eq 0 ] || { echo "try-release: debootstrap and chroot need root" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends debootstrap

root=$PWD/build/try/$release
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -1)
if [ ! -e "$root/ready" ]; then
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase --include=ca-certificates,make "$release" "$root" "$mirror"
  # How this machine reaches its mirror, if that takes settings.
  find /etc/apt/apt.conf.d -type f \( -name '*proxy*' -o -name '99*' \) -exec cp {} "$root/etc/apt/apt.conf.d/" \;
  touch "$root/ready"
fi

rm -rf "$root/assay"
mkdir -p "$root/assay"
git archive HEAD | tar -x -C "$root/assay"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"  # tests of what a terminal shows
trap 'umount "$root/dev/pts" "$root/proc" "$root/dev"' EXIT
cp /etc/resolv.conf /etc/hosts "$root/etc/"
for goal in "${goals[@]}"; do
  echo "try-release: $release: make $goal"
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 make -C /assay "$goal"
done
chroot "$root" sh -c '. /etc/os-release; echo "try-release: $PRETTY_NAME, $(g++ --version | head -1), $(cmake --version | head -1): passed"'
