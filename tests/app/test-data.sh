#!/usr/bin/env bash
# test-data.sh FOLDER: validates the man page, desktop file, metainfo, MIME type and icons. Prints TAP.
set -u
cd "$1" || exit 1
n=0

# check TOOL NAME COMMAND...: one test point, skipped if TOOL is not installed. Any output is a failure.
check () {
  local tool=$1 name=$2 said
  shift 2
  n=$((n + 1))
  if ! command -v "$tool" >/dev/null; then
    echo "ok $n - $name # SKIP no $tool"
  elif said=$("$@" 2>&1) && [ -z "$said" ]; then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    printf '%s\n' "$said" | sed 's/^/# /'
  fi
}

lint_man () { mandoc -T lint hirscope.1 2>&1 | grep -v 'outdated mandoc.db\|unknown manual\|referenced manual not found'; true; }
# Prints errors and warnings, except the missing home page. The exit status is ignored, because it depends on the
# version of appstreamcli.
lint_metainfo () { appstreamcli validate --no-net --no-color org.hirscope.Hirscope.metainfo.xml 2>&1 | grep '^ *[EW]:' | grep -v url-homepage-missing; true; }

check mandoc 'man page' lint_man
check desktop-file-validate 'desktop file' desktop-file-validate org.hirscope.Hirscope.desktop
check xmllint 'XML' xmllint --noout ./*.xml ./*.svg
check appstreamcli 'metainfo' lint_metainfo
check shellcheck 'shell scripts' shellcheck post-install.sh ../bootstrap ../.ci/run ../tests/app/test-data.sh
echo "1..$n"
