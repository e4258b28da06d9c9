# shellcheck shell=bash
# The peers of the benchmarks that are not Debian packages, or cannot be installed beside others. Each is put into a cache folder
# outside of the sources and named by a variable; one that cannot be had is left out. Sourced by script/bench, after common.sh.

readonly predis_version=3.7.1 prometheus_version=2.9.0
peers_dir=${PRESENCE_BENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/presence-bench}

# from_packagist PACKAGE VERSION FOLDER: installs a library with Composer, unless it is there.
from_packagist() {
  local package=$1 version=$2 folder=$3
  [[ -f $folder/complete ]] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" && COMPOSER_ALLOW_SUPERUSER=1 composer require --no-interaction --quiet --prefer-dist "$package:$version") \
    >"$folder/composer.log" 2>&1 || return 1
  touch "$folder/complete"
}

# Debian's package of Yac conflicts with that of APCu, but the two work side by side when loaded by path.
unpack_yac() {
  local package=$1 folder=$2 unpacked
  [[ -f $folder/yac.so ]] && return
  mkdir -p "$folder"
  (
    unpacked=$(mktemp -d) && trap 'rm -rf "$unpacked"' EXIT && cd "$unpacked" &&
      apt-get download -qq -o APT::Sandbox::User=root "$package" && dpkg-deb -x ./*.deb . && cp usr/lib/php/*/yac.so "$folder"
  ) >"$folder/yac.log" 2>&1
}

# Sets PRESENCE_BENCH_YAC to a file, PRESENCE_BENCH_PREDIS and PRESENCE_BENCH_PROMETHEUS to folders. The last may be set
# already, to a copy of the library's sources, where Packagist does not have it. PRESENCE_BENCH_PEERS says their versions.
have_peers() {
  local php folder
  export PRESENCE_BENCH_PEERS=
  php=php$(php_version)
  if unpack_yac "$php-yac" "$peers_dir/$php"; then
    export PRESENCE_BENCH_YAC=$peers_dir/$php/yac.so
  else
    say "Yac is left out: $peers_dir/$php/yac.log says why"
  fi
  folder=$peers_dir/predis-$predis_version
  if from_packagist predis/predis "$predis_version" "$folder"; then
    export PRESENCE_BENCH_PREDIS=$folder
    PRESENCE_BENCH_PEERS+=", Predis $predis_version"
  else
    say "Predis is left out: $folder/composer.log says why"
  fi
  folder=$peers_dir/prometheus-$prometheus_version
  if [[ -n ${PRESENCE_BENCH_PROMETHEUS:-} ]]; then
    export PRESENCE_BENCH_PROMETHEUS
    PRESENCE_BENCH_PEERS+=", promphp/prometheus_client_php from a copy of its sources"
  elif from_packagist promphp/prometheus_client_php "$prometheus_version" "$folder"; then
    export PRESENCE_BENCH_PROMETHEUS=$folder/vendor/promphp/prometheus_client_php
    PRESENCE_BENCH_PEERS+=", promphp/prometheus_client_php $prometheus_version"
  else
    say "promphp/prometheus_client_php is left out: $folder/composer.log says why"
  fi
}
