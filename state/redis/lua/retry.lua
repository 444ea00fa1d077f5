-- A request that was answered already, and came again because the answer was
-- lost, is given the same answer. What it did is remembered under the name the
-- client made up for it, for as long as a client may go on trying.

local name, remember = prefix .. 'n:' .. request[1], request[2]
local told = call('GET', name)
if told then
  return tonumber(told) or cmsgpack.unpack(told)
end

-- done remembers the answer and returns it.
local function done(reply)
  call('SET', name, cmsgpack.pack(reply), 'PX', remember)
  return reply
end
