#!/bin/sh
# What a newcomer sees: real chains linted, run dry, and stopped by a rule.
# Every command says which exit code it must end with; another one fails the demo.
set -u
cd "$(dirname "$0")/.." || exit 1
cbpolicy=${CBPOLICY:-bin/cbpolicy}

show() { # show CODE ARGUMENTS…
	want=$1
	shift
	printf '\n$ cbpolicy %s\n' "$*"
	"$cbpolicy" "$@"
	got=$?
	if [ "$got" -ne "$want" ]; then
		printf 'the demo expected exit code %s, not %s\n' "$want" "$got" >&2
		exit 1
	fi
}

say() { printf '\n# %s\n' "$*"; }

say 'Real chains and a policy, linted: nothing to say.'
show 0 check examples/chains
say 'The documented trading chain reads a value that it does not declare, and has a rule that never holds.'
show 3 check examples/trading/chain.yaml
say 'A model wrote rules: a misspelt action refuses the whole block.'
show 3 check examples/block/bad.txt
say 'A chain run dry on recorded outputs.'
show 0 dryrun examples/chains/email_triage.yaml --recording examples/chains/email_triage.clean.yaml --policy examples/chains/policy.cbp
say 'The same chain, but the mail carries orders: a breaker fires.'
show 5 dryrun examples/chains/email_triage.yaml --recording examples/chains/email_triage.injected.yaml --policy examples/chains/policy.cbp
say 'A trade above its limit: the threshold fires.'
show 5 dryrun examples/trading/order.yaml --recording examples/trading/order-recording.yaml --set amount=501
say 'The fourth trade of the day: the rate limit fires.'
show 5 dryrun examples/trading/chain.yaml --recording examples/trading/throttled.yaml
say 'A trade that a person allows.'
show 0 dryrun examples/trading/chain.yaml --recording examples/trading/approved.yaml
printf '\nEvery breaker did what it should.\n'
