# SPDX-License-Identifier: Apache-2.0
#
# What the command line tests share: a scratch directory, cases, TAP.
#
# Read by the scripts here (". ./tests/cli/lib.sh"); METE is the program.  A
# case runs the program and looks at its status, output and messages:
#
#	try run nofile.json
#	is 'status' "$status" 2
#	is 'message' "$(cat err)" 'nofile.json: …'

: "${METE:?METE must name the program}"
: "${METE_TEST_SLOW:=1}"
case $METE in
/*) ;;
*) METE=$PWD/$METE ;;
esac
source_root=$PWD
export LC_ALL=C.UTF-8
unset NO_COLOR METE_CPUS METE_BOOKS METE_SLICE METE_STACK METE_MAX_TASKS METE_PLACEMENT \
	METE_SHOW
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

cases=0
failures=0

ok() {
	cases=$((cases + 1))
	echo "ok $cases - $1"
}

not_ok() {
	cases=$((cases + 1))
	failures=$((failures + 1))
	echo "not ok $cases - $1"
}

# is NAME GOT EXPECTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		printf '%s\n' "got:" "$2" "expected:" "$3" | sed 's/^/# /'
	fi
}

# has NAME TEXT PATTERN (extended, of a line)
has() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		ok "$1"
	else
		not_ok "$1"
		printf '%s\n' "no line matches: $3" "in:" "$2" | sed 's/^/# /'
	fi
}

# holds NAME COMMAND...
holds() {
	holds_name=$1
	shift
	if "$@" > holds.log 2>&1; then
		ok "$holds_name"
	else
		not_ok "$holds_name"
		sed 's/^/# /' holds.log
	fi
}

skip() {
	cases=$((cases + 1))
	echo "ok $cases - $1 # skip $2"
}

# Run the program: its status in $status, its output in the files out and err.
try() {
	timeout $((20 * METE_TEST_SLOW)) "$METE" "$@" > out 2> err
	status=$?
}

finish() {
	echo "1..$cases"
	[ "$failures" -eq 0 ]
	exit
}
