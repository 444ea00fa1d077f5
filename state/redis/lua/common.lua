-- What every script begins with: its arguments.
--
-- KEYS[1] is the domain's time; all other keys begin as it does, with the
-- domain as their hash tag, and so are in its slot. ARGV[1] holds the request,
-- an array in MessagePack. Replies are integers unless said otherwise.
--
-- Numbers are doubles. Times and spans are in microseconds and less than 2^53,
-- so they are exact; amounts, which may be more, are added as two parts. How
-- long keys live is handed over as text, since large numbers may be written as
-- powers of ten.

local call, unpack = redis.call, struct.unpack
local request = cmsgpack.unpack(ARGV[1])
local prefix = string.sub(KEYS[1], 1, -5) -- without "time"
