#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures, judges by a budget, and compares with the last good run of the base branch.
#
#   gate.sh [--budget FILE] [--base DIR] [--fail-on CHANGES] [--keep] [--annotate] OUT ARGUMENT...
#
# ARGUMENTs are those of `plexor measure`. OUT gets run (the run itself), report.html, report.md and,
# with a budget, checks.xml (JUnit) and checks.codequality (GitLab). --keep makes a run that passes
# the one in DIR. --annotate prints what is wrong as GitHub shows it beside the job. The exit code is
# that of `plexor measure`, or, if that is 0, that of `plexor compare`.
set -u
budget="" base="" changes="p99>+5%" keep="" annotate=""
while :; do
  case "${1-}" in
    --budget) budget=$2; shift 2 ;;
    --base) base=$2; shift 2 ;;
    --fail-on) changes=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    --annotate) annotate=1; shift ;;
    *) break ;;
  esac
done
[ $# -ge 2 ] || { echo "usage: gate.sh [OPTIONS] OUT ARGUMENT..." >&2; exit 2; }
out=$1
shift
rm -rf "$out/run"
mkdir -p "$out"

plexor measure "$@" ${budget:+--budget "$budget"} --out "$out/run" --page "$out/report.html"
code=$?
[ $code = 0 ] || why="plexor measure ended with $code"
if [ -d "$out/run" ]; then
  plexor show "$out/run" --to "$out/report.md" \
    ${budget:+--to "$out/checks.xml" --to "$out/checks.codequality" --budget "$budget"} || [ $code != 0 ] || code=$?
fi
if [ $code = 0 ] && [ -n "$base" ] && [ -d "$base/run" ]; then
  plexor compare "$base/run" "$out/run" --fail-on "$changes" > "$out/compared.txt"
  code=$?
  cat "$out/compared.txt"
  { printf '\n## Compared with the base branch\n\n```text\n'
    cat "$out/compared.txt"
    printf '```\n'; } >> "$out/report.md"
  why="slower than the base branch, or not certainly as fast ($changes): $(tail -1 "$out/compared.txt")"
fi
if [ $code = 0 ] && [ -n "$keep" ] && [ -n "$base" ]; then
  rm -rf "$base/run"
  mkdir -p "$base"
  cp -R "$out/run" "$base/run"
fi
[ $code = 0 ] || [ -z "$annotate" ] || echo "::error title=Plexor::$why"
exit $code
