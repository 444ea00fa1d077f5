-- What is found in a counter of a claim whose answer was lost, and what is noted
-- there if it may yet come.

-- entry returns the entry that a claim has added, or nil. It is sought among the
-- newest first.
local function entry(c, claim)
  local name = string.sub(claim, 1, 8)
  for first = 1, c.n, 128 do
    for _, e in ipairs(call('LRANGE', c.key, first, first + 127)) do
      if string.sub(e, 9) == name then
        return e
      end
    end
  end
end

-- await has every claim that comes to a counter looked for by its name, for as
-- long as the answer to a request is remembered. A counter that is not there is
-- made, or another claim would make it without the mark.
local function await(c)
  c.late = math.max(c.late, server + request[2] * 1000)
  local loud = pack('>c2I8I8', 'l-', c.longest, c.late)
  if c.head then
    call('LSET', c.key, '0', loud)
  else
    call('RPUSH', c.key, loud)
  end
  c.head = loud
  if call('PTTL', c.key) < tonumber(request[2]) then -- also if it is new
    call('PEXPIRE', c.key, request[2])
  end
end
