#!/bin/sh
# Makes the example's git repository from `source`: one commit, with the same id everywhere.
set -eu
cd "$(dirname "$0")"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=tally GIT_AUTHOR_EMAIL=tally GIT_AUTHOR_DATE=2026-01-01T00:00:00Z
export GIT_COMMITTER_NAME=tally GIT_COMMITTER_EMAIL=tally GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
rm -rf repository
cp -R source repository
git -C repository init --quiet --initial-branch=main
git -C repository add --all
git -C repository commit --quiet --message "Track working time"
git -C repository rev-parse HEAD
