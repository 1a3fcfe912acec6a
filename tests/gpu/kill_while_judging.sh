#!/bin/sh
# Kills one of the judge's processes in the middle of a judgement that lasts some seconds. usage: kill_while_judging.sh runner|bench|worker HONE_PID
set -eu
worker=$(pgrep -o -P "$2" -f ' worker')
bench=$(pgrep -o -P "$worker" -f ' bench')
sleep 0.8  # it has been built by then, and is being verified
case $1 in
    worker) victim=$worker ;;
    bench) victim=$bench ;;
    runner) victim=$(pgrep -o -P "$bench" -x hone-jail-cuda) ;;  # the oldest: younger ones wait for candidates to come
esac
kill -9 "$victim"
