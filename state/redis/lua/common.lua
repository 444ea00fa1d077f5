-- What every script begins with: its arguments, its time, and its name.
--
-- KEYS[1] is the domain's time; all other keys begin as it does, with the
-- domain as their hash tag, and so are in its slot. ARGV[1] holds the request,
-- an array in MessagePack. Replies are integers unless said otherwise.
--
-- Numbers are doubles. Times and spans are in microseconds and less than 2^53,
-- so they are exact; amounts, which may be more, are added as two parts.

local call = redis.call
local prefix = string.sub(KEYS[1], 1, -5) -- without "time"
local request = cmsgpack.unpack(ARGV[1])

-- A request that was answered already, and came again because the answer was
-- lost, is given the same answer. What it did is remembered under the name the
-- client made up for it, for as long as a client may go on trying.
local name, remember = prefix .. 'n:' .. request[1], request[2]
local told = call('GET', name)
if told then
  return cmsgpack.unpack(told)
end

-- done remembers the answer and returns it.
local function done(reply)
  call('SET', name, cmsgpack.pack(reply), 'PX', remember)
  return reply
end
