-- What a script is asked, but for a claim. KEYS[1] is the domain's time; ARGV[1]
-- holds the request, an array in MessagePack.

local request = cmsgpack.unpack(ARGV[1])
local prefix = string.sub(KEYS[1], 1, -5) -- without "time"
