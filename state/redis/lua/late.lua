-- What is found in a counter of a claim whose answer was lost, and what is noted
-- there if it may yet come.

-- entry returns the time of the entry that a claim has added, and how many bytes
-- are before it; or nil.
local function entry(c, claim)
  local own, entries = string.sub(claim, 1, 8), string.sub(call('GETRANGE', c.key, 0, -1), 1, c.size)
  local at = string.find(entries, own, 1, true)
  while at and at % ENTRY ~= 9 do -- not a name, but parts of others
    at = string.find(entries, own, at + 1, true)
  end
  if at then
    return unpack('>I8', entries, at - 8), at - 9
  end
end

-- await has every claim that comes to a counter looked for by its name, for as
-- long as the answer to a request is remembered. A counter that is not there is
-- made, or another claim would make it without the mark.
local function await(c)
  c.calm, c.late = 0, math.max(c.late, server + request[2] * 1000)
  call('SETRANGE', c.key, c.size, trailer(c))
  if call('PTTL', c.key) < tonumber(request[2]) then -- also if it is new
    call('PEXPIRE', c.key, request[2])
  end
end
