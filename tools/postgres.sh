#!/usr/bin/env bash
# A throw-away PostgreSQL for tests, on loopback at a free port, with everything it has in one folder.
#
#   tools/postgres.sh run COMMAND …         starts one, runs the command with COUNTERSIGN_TEST_POSTGRES naming it, stops it
#   tools/postgres.sh start DIR [NAME=VALUE …]   makes one in DIR, which must be there; prints its address
#   tools/postgres.sh restart DIR [MODE]    the same port again; MODE is fast (without asked), smart or immediate
#   tools/postgres.sh stop DIR              at once, and DIR stays
#   tools/postgres.sh database              makes an empty database on the one that COUNTERSIGN_TEST_POSTGRES names; prints
#                                           its address
#
# The server refuses to run as root: there it runs as the user `postgres`, who gets DIR.
set -euo pipefail
shopt -s inherit_errexit

die() { echo "postgres.sh: $*" >&2; exit 1; }

# The server's programs: those on the path, else the newest of Debian's. A link on the path may stand for one of them.
initdb=$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1) || true
bin=$(dirname "$(readlink -f "${initdb:-nowhere/initdb}")")
[ -x "$bin/initdb" ] || die "PostgreSQL's server programs are missing: install Debian's package postgresql"

# Runs one of them as somebody the server accepts, from a folder that this somebody may read.
server() {
	local program=$1
	shift
	if [ "$(id -u)" = 0 ]; then
		(cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups "$bin/$program" "$@")
	else
		"$bin/$program" "$@"
	fi
}

# Where nobody listened a moment ago; outside the range that the system gives to those who ask for any port.
free_port() {
	local port
	while port=$((15000 + RANDOM % 15000)); (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

start() {
	local dir=$1 port
	shift
	[ "$(id -u)" != 0 ] || chown postgres "$dir"
	server initdb -A trust -U countersign -E UTF8 --locale=C -D "$dir/data" >/dev/null
	printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" 'max_connections = 300' \
		'max_wal_size = 256MB' "$@" >>"$dir/data/postgresql.conf"
	for _ in 1 2 3 4 5; do
		port=$(free_port)
		echo "port = $port" >>"$dir/data/postgresql.conf"
		# another server may have taken the port meanwhile
		if server pg_ctl start -s -w -D "$dir/data" -l "$dir/log" >&2; then
			echo "postgres://countersign@127.0.0.1:$port/"
			return
		fi
	done
	cat "$dir/log" >&2
	die "PostgreSQL does not start in $dir"
}

restart() {
	server pg_ctl restart -s -w -m "${2:-fast}" -D "$1/data" -l "$1/log" >&2
}

stop() {
	[ ! -f "$1/data/postmaster.pid" ] || server pg_ctl stop -s -w -m immediate -D "$1/data"
}

database() {
	local name
	name=browser_$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
	"$bin/createdb" --maintenance-db="${COUNTERSIGN_TEST_POSTGRES}postgres" "$name"
	echo "$COUNTERSIGN_TEST_POSTGRES$name"
}

# In memory where there is room: the server syncs each commit there too, and it costs nothing.
folder() {
	local memory=/dev/shm
	if [ -w $memory ] && [ "$(df -k --output=avail $memory | tail -1)" -gt 2000000 ]; then
		mktemp -d $memory/countersign-postgres-XXXXXX
	else
		mktemp -d "${TMPDIR:-/tmp}/countersign-postgres-XXXXXX"
	fi
}

run() {
	dir=$(folder)
	trap 'stop "$dir"; rm -rf "$dir"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	COUNTERSIGN_TEST_POSTGRES=$(start "$dir")
	export COUNTERSIGN_TEST_POSTGRES
	"$@"
}

case "${1:-}" in
run) shift && run "$@" ;;
database) database ;;
start | restart | stop)
	dir=$(cd "${2:?the folder}" && pwd)
	"$1" "$dir" "${@:3}"
	;;
*) die "run COMMAND … | start DIR [NAME=VALUE …] | restart DIR [MODE] | stop DIR | database" ;;
esac
