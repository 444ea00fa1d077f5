package redis

import _ "embed"

// The parts of the scripts.
var (
	//go:embed lua/common.lua
	commonLua string
	//go:embed lua/request.lua
	requestLua string
	//go:embed lua/retry.lua
	retryLua string
	//go:embed lua/lives.lua
	livesLua string
	//go:embed lua/look.lua
	lookLua string
	//go:embed lua/cell.lua
	cellLua string
	//go:embed lua/write.lua
	writeLua string
	//go:embed lua/fast.lua
	fastLua string
	//go:embed lua/quick.lua
	quickLua string
	//go:embed lua/clock.lua
	clockLua string
	//go:embed lua/latest.lua
	latestLua string
	//go:embed lua/asked.lua
	askedLua string
	//go:embed lua/counter.lua
	counterLua string
	//go:embed lua/enter.lua
	enterLua string
	//go:embed lua/late.lua
	lateLua string
	//go:embed lua/again.lua
	againLua string
	//go:embed lua/amount.lua
	amountLua string
	//go:embed lua/lease.lua
	leaseLua string
	//go:embed lua/claim.lua
	claimLua string
	//go:embed lua/settle.lua
	settleLua string
	//go:embed lua/release.lua
	releaseLua string
	//go:embed lua/undo.lua
	undoLua string
	//go:embed lua/approve.lua
	approveLua string
	//go:embed lua/forget.lua
	forgetLua string
	//go:embed lua/load.lua
	loadLua string
)

// The scripts.
var (
	claimScript = newScript(commonLua + clockLua + fastLua + either(quickLua,
		latestLua+askedLua+cellLua+retryLua+livesLua+counterLua+enterLua+lateLua+againLua+amountLua+leaseLua+writeLua+claimLua))
	settleScript  = newScript(commonLua + requestLua + retryLua + clockLua + latestLua + livesLua + cellLua + amountLua + leaseLua + writeLua + settleLua)
	releaseScript = newScript(commonLua + requestLua + retryLua + counterLua + amountLua + leaseLua + releaseLua)
	undoScript    = newScript(commonLua + requestLua + clockLua + counterLua + lateLua + undoLua)
	approveScript = newScript(commonLua + requestLua + retryLua + livesLua + approveLua)
	forgetScript  = newScript(commonLua + requestLua + retryLua + forgetLua)
	loadScript    = newScript(commonLua + requestLua + lookLua + cellLua + loadLua)
)

// either is the end of a script: one part and, if that returns nothing, the other.
// Each is in a frame of its own, since every call of a script pays for all the
// names of its frame.
func either(one, other string) string {
	return "return (function()\n" + one + "\nend)() or (function()\n" + other + "\nend)()\n"
}
