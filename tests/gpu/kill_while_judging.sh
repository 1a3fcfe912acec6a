#!/bin/sh
# Kills one of the judge's processes in the middle of a judgement that lasts some seconds. usage: kill_while_judging.sh runner|bench|worker HONE_PID
set -u
below() { for child in $(pgrep -P "$1"); do echo "$child"; below "$child"; done; }  # all that a process has started
sleep 0.8  # the candidate has been built by then, and is being verified
case $1 in runner) name=hone-jail-cuda ;; *) name=$1 ;; esac
for process in $(below "$2"); do
    case $(tr '\0' ' ' < "/proc/$process/cmdline") in
        */$name\ * | *\ $name\ ) victims="${victims:-} $process" ;;  # runners: those that wait for candidates, too
    esac
done
[ -n "${victims:-}" ] || { echo "kill_while_judging.sh: there is no $1" >&2; exit 1; }
kill -9 $victims
