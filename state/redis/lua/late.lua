-- What is found in a counter of a claim whose answer was lost, and what is noted
-- there if it may yet come.

-- entry returns the time of the entry that a claim has added, and how many bytes
-- are before it; or nil.
local function entry(c, claim)
  local own, entries = string.sub(claim, 1, 8), call('GETRANGE', c.key, HEADER, -1)
  local at = string.find(entries, own, 1, true)
  while at and at % ENTRY ~= 9 do -- not a name, but parts of others
    at = string.find(entries, own, at + 1, true)
  end
  if at then
    return unpack('>I8', entries, at - 8), HEADER + at - 9
  end
end

-- await has every claim that comes to a counter looked for by its name, for as
-- long as the answer to a request is remembered. A counter that is not there is
-- made, or another claim would make it without the mark.
local function await(c)
  c.calm, c.late = 0, server + request[2] * 1000
  if c.size == 0 then
    call('SET', c.key, pack('>I8I8I8I8', 0, 0, 0, c.late), 'PX', request[2])
    return
  end
  call('SETRANGE', c.key, 8, pack('>I8', 0))
  call('SETRANGE', c.key, 24, pack('>I8', c.late))
  if call('PTTL', c.key) < tonumber(request[2]) then
    call('PEXPIRE', c.key, request[2])
  end
end
