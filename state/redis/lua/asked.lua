-- What a claim asks, of which the fast part has read but the beginning.

local _, request = cmsgpack.unpack_one(blob, (unpack('>I4', blob, 17)))
request[1] = string.sub(blob, 1, 16)
local prefix = string.sub(KEYS[1], 1, (string.find(KEYS[1], '}:', 1, true)) + 1)
for i, n in ipairs(request[7]) do
  if n[1] == '' then -- a quick claim's counters are named by its keys
    n[1] = string.sub(KEYS[i], #prefix + 4)
  end
end
if own == 0 then
  latest(own, prefix .. 'time')
end
