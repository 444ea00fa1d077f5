-- What is there. The request: the keys of cells and of accounts. The reply: two
-- texts for each: version and value, settled and reserved.

local call = redis.call
local prefix = string.sub(KEYS[1], 1, -5)
local request = cmsgpack.unpack(ARGV[1])
local reply = {}
for _, of in ipairs(request[1]) do
  local found = call('HMGET', prefix .. 'v:' .. of, 'v', 'd')
  reply[#reply + 1] = found[1] or '0'
  reply[#reply + 1] = found[2] or ''
end
for _, of in ipairs(request[2]) do
  local found = call('HMGET', prefix .. 'b:' .. of, 's', 'r')
  reply[#reply + 1] = found[1] or '0'
  reply[#reply + 1] = found[2] or '0'
end
return reply
