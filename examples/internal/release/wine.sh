#!/usr/bin/env bash
# Tries the programs for Windows of a release under Wine, on Debian:
#
#   apt-get install wine wine64 gcc-mingw-w64-x86-64 perl unzip
#   bash examples/internal/release/wine.sh bcwire-v0.3.0-windows-amd64.zip
#
# It runs each program with -version, compares what dump prints of its sample and what manifest
# writes of a directory with the programs of this clone, and lets two bots talk on the server, on
# the loopback interface.
#
# Wine 8 of Debian 12 lacks bcryptprimitives.dll, from which Go takes random numbers. The script
# compiles a stand-in that forwards to SystemFunction036 of advapi32.dll. It is for this trial only
# and is never part of a release: Windows has the real one.
#
# Wine 8 also lacks an option that Go sets on each UDP socket, SIO_UDP_NETRESET (0x9800000f). The
# script runs copies of server and bot that set SIO_UDP_CONNRESET (0x9800000c) twice instead.
#
# Wine cannot show the warnings of SmartScreen, virus scanners and the firewall of Windows, colours
# in its console, a double click, the sockets of the Windows kernel, and the programs for arm64.
set -euo pipefail
export LC_ALL=C.UTF-8
archive=$(realpath "${1:?give an archive of a release for windows/amd64}")
cd "$(dirname "$0")/../.."
for program in wine x86_64-w64-mingw32-gcc perl unzip; do
	command -v $program >/dev/null || { echo "FAILED: install wine wine64 gcc-mingw-w64-x86-64 perl unzip"; exit 1; }
done
scratch=$(mktemp -d)
export WINEPREFIX=$scratch/prefix WINEDEBUG=-all
pids=()
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done; wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver64); "$wineserver" -k 2>/dev/null || true; rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

unzip -q "$archive" -d "$scratch"
bin=$(echo "$scratch"/bcwire-*)
cat >"$scratch/prng.c" <<'END'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, size); }
END
timeout 300 wine cmd /c ver >"$scratch/ver"
tr -d '\r' <"$scratch/ver" | grep . && wine --version
x86_64-w64-mingw32-gcc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$scratch/prng.c" -ladvapi32

# run runs a program under Wine.
run() {
	local name=$1
	shift
	timeout 120 wine "$bin/$name.exe" "$@"
}

for exe in "$bin"/*.exe; do run "$(basename "$exe" .exe)" -version; done

run dump >"$scratch/windows.txt"
go run ./dump >"$scratch/native.txt"
cmp "$scratch/windows.txt" "$scratch/native.txt" || fail "dump prints another text"
echo "dump: $(wc -l <"$scratch/windows.txt") lines as on this system"

run manifest -compare vanilla vanilla >"$scratch/windows.txt" || fail "manifest"
grep -q '^0 differences' "$scratch/windows.txt" || fail "manifest"
mkdir -p "$scratch/game/scripts"
echo text >"$scratch/game/scripts/App.pyc"
run manifest "$scratch/game" >"$scratch/windows.txt" 2>"$scratch/windows.err" || true
go run ./manifest "$scratch/game" >"$scratch/native.txt" 2>"$scratch/native.err" || true
cmp "$scratch/windows.txt" "$scratch/native.txt" || fail "manifest writes another manifest"
echo "manifest: $(wc -c <"$scratch/windows.txt") bytes as on this system"

# The instruction is MOVL $0x9800000f, BX, before the address of the argument. It occurs once.
for name in server bot; do
	perl -0777 -pe '$n = s/\xbb\x0f(\x00\x00\x98\x48\x8d\x4c\x24)/\xbb\x0c$1/g; die "found $n times\n" if $n != 1' \
		"$bin/$name.exe" >"$scratch/$name.exe"
done
log=$scratch/server.log
mkfifo "$scratch/console"
timeout 180 wine "$scratch/server.exe" -addr 127.0.0.1:0 <"$scratch/console" >"$log" 2>&1 &
server=$!
pids+=("$server")
exec 3>"$scratch/console"
for _ in $(seq 300); do grep -q listening "$log" && break; sleep 0.2; done
address=$(sed -n 's/.*msg=listening addr=\([0-9.:]*\).*/\1/p' "$log")
[ -n "$address" ] || { cat "$log"; fail "the server does not listen"; }
for name in Ann Bob; do
	timeout 120 wine "$scratch/bot.exe" -addr "$address" -name $name -say "hello from $name" -duration 20s >"$scratch/$name.log" 2>&1 &
	pids+=($!)
done
wait "${pids[1]}" && wait "${pids[2]}" || { cat "$scratch"/*.log; fail "a bot"; }
echo quit >&3
wait "$server" || { cat "$log"; fail "the server"; }
for name in Ann Bob; do grep -q "text=\"hello from $name\"" "$log" || { cat "$log"; fail "$name on the server"; }; done
grep -q 'hello from Bob' "$scratch/Ann.log" || grep -q 'hello from Ann' "$scratch/Bob.log" || { cat "$scratch"/*.log; fail "the bots do not hear each other"; }
echo "server: $(grep -c 'hello from' "$log") lines of chat by two bots"
