#!/usr/bin/env bash
# test-data.sh FOLDER: man page, desktop file, metainfo, MIME type and icons are well formed. TAP.
set -u
cd "$1" || exit 1
n=0

# check TOOL NAME COMMAND...: one point; skipped where TOOL is not installed. Output counts as failure.
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
# Errors and warnings, but for the home page, which there is none of; what an older or newer appstreamcli
# counts as a failure is not asked.
lint_metainfo () { appstreamcli validate --no-net --no-color org.hirscope.Hirscope.metainfo.xml 2>&1 | grep '^ *[EW]:' | grep -v url-homepage-missing; true; }

check mandoc 'man page' lint_man
check desktop-file-validate 'desktop file' desktop-file-validate org.hirscope.Hirscope.desktop
check xmllint 'XML' xmllint --noout ./*.xml ./*.svg
check appstreamcli 'metainfo' lint_metainfo
check shellcheck 'shell scripts' shellcheck post-install.sh ../bootstrap ../.ci/run ../tests/app/test-data.sh
echo "1..$n"
