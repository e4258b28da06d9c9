# shellcheck shell=bash
# Other releases of Debian, each in a folder of its own below $cache. Sourced, never run; $scratch is for logs.

in_folder() { script/lib/in-folder "$@"; }

# Debian's mirrors as this machine has them configured: lines of URI, release, component.
mirrors() {
  # shellcheck disable=SC2016  # apt-get fills these in.
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u
}

bootstrap_folder() {
  local release=$1 folder=$2 mirror
  mirror=$(mirrors | awk '$2 !~ /-/ && $3 == "main" { print $1; exit }')
  echo "installing Debian $release into $folder, about a minute" >&2
  unshare --mount --propagation private -- debootstrap --variant=minbase "$release" "$folder.partial" "$mirror" \
    >"$scratch/debootstrap.log" 2>&1 || {
    tail -n 20 "$scratch/debootstrap.log" >&2
    return 1
  }
  printf '#!/bin/sh\nexit 101\n' >"$folder.partial/usr/sbin/policy-rc.d"
  chmod 755 "$folder.partial/usr/sbin/policy-rc.d"
  mv "$folder.partial" "$folder"
}

# prepare_folder RELEASE FOLDER PACKAGE…: makes the folder if it is not there yet, and installs the packages at their newest.
# Without a network, what was installed before will do.
prepare_folder() {
  local release=$1 folder=$2
  shift 2
  ((EUID == 0)) || { echo "this needs root, for chroot" >&2; return 1; }
  rm -rf "$folder.partial"
  [[ -d $folder ]] || bootstrap_folder "$release" "$folder" || return 1
  cp /etc/resolv.conf "$folder/etc/resolv.conf"
  # A mirror that has not followed sid for a while still serves.
  # shellcheck disable=SC2016
  in_folder "$folder" sh -c 'cd / && apt-get -qq -o Acquire::Check-Valid-Until=false update && apt-get -qq -y --no-install-recommends install "$@"' - "$@" \
    >"$scratch/install.log" 2>&1 && return
  in_folder "$folder" dpkg-query -W "$@" >/dev/null && return
  tail -n 20 "$scratch/install.log" >&2
  return 1
}

# lend_programs FOLDER PROGRAM…: from now on the programs of that name are those of the folder.
lend_programs() {
  local folder=$1 program
  shift
  mkdir -p "$scratch/bin"
  for program in "$@"; do
    printf '#!/bin/sh\nexec %q %q %q "$@"\n' "$root_dir/script/lib/in-folder" "$folder" "$program" >"$scratch/bin/$program"
    chmod +x "$scratch/bin/$program"
  done
  PATH=$scratch/bin:$PATH
}
