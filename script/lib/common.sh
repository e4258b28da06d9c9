# shellcheck shell=bash disable=SC2016,SC2034,SC2120
# What the scripts here share. Sourced, never run.

root_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [[ -t 1 && ${NO_COLOR:-} == "" ]]; then
  bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' dim='' green='' red='' plain=''
fi

# A headline, so that a long log can be skimmed.
say() { printf '%s==>%s %s\n' "$bold" "$plain" "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The version of PHP that Debian's packages have here, such as 8.2: that of php-config's own package where there is one.
php_version() {
  local release
  if command -v php-config >/dev/null; then
    php-config --version | cut -d. -f1,2
    return
  fi
  release=$(. /etc/os-release && echo "${ID:-}-${VERSION_ID:-}")
  case $release in
    debian-12) echo 8.2 ;;
    debian-13) echo 8.4 ;;
    *) die "Debian 12 or 13 is needed to install PHP by itself; install php-cli, php-dev, php-fpm and php-sqlite3 first" ;;
  esac
}

# A loopback port that nobody uses now.
free_port() {
  php -n -r '$s = stream_socket_server("tcp://127.0.0.1:0"); echo explode(":", stream_socket_get_name($s, false))[1];'
}

# The tests build the same sources several times, for several PHPs and with points to stop at: from now on what comes out
# the same is compiled once, where ccache is installed.
share_compilations() {
  [[ -d /usr/lib/ccache ]] || return 0
  export PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root_dir} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros
}

# Where the Zend-free core and its unit tests are built.
core_build=${CORE_BUILD_DIR:-$root_dir/build/core}

# build_core [FOLDER [CMAKE OPTION…]]: builds the core and its unit tests, warnings being errors.
build_core() {
  local folder=${1:-$core_build}
  shift || true
  cmake -S "$root_dir" -B "$folder" -DPRESENCE_WERROR=ON "$@" >/dev/null &&
    cmake --build "$folder" -j "$(nproc)" -- --no-print-directory
}

# wait_until SECONDS COMMAND…: runs the command ten times a second until it succeeds; fails when the time is over.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# stop_process PID: ends a process that this script started, politely, then for good. Returns when it is gone.
stop_process() {
  local pid=$1 tries
  kill -TERM "$pid" 2>/dev/null || return 0
  for ((tries = 0; tries < 50; tries++)); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
}
