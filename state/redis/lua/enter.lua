-- What adds to counters, and needs the time.

-- head returns what the head of a counter is to be.
local function head(c)
  if c.late > server then
    return pack('>c2I8I8', 'l-', c.longest, c.late)
  end
  if own == 0 and now > server then -- the server's clock was set back, or a claim brought a later time
    return pack('>c2I8I8', 'l-', c.longest, 0)
  end
  return pack('>c2I8I8', own == 0 and 'qs' or 'qo', c.longest, (math.floor(server / EPOCH) + 1) * EPOCH)
end

-- expire puts off the expiry of a counter that nobody adds to: of a quiet one
-- the next who does so is after its time.
local function expire(c)
  call('PEXPIRE', c.key, string.format('%.0f', math.ceil((c.longest + EPOCH) / 1000) + forget))
end

-- keep writes how far back anybody looks, and drops what no one can see.
local function keep(c)
  c.longest = c.ask
  c.head = head(c)
  call('LSET', c.key, '0', c.head)
  local live = after(c, now - c.longest)
  if live < c.n then
    c.n = live
    call('LTRIM', c.key, '0', live)
  end
  expire(c)
end

-- enter adds an entry to a counter, once a claim.
local function enter(c)
  local entry = pack('>I8c8', now, request[1])
  if not c.head then
    c.longest = c.ask
    c.head = head(c)
    call('RPUSH', c.key, c.head, entry)
    expire(c)
    return
  end
  call('LINSERT', c.key, 'AFTER', c.head, entry)
  c.n = c.n + 1
  if c.ask > c.longest or c.head ~= head(c) or string.sub(c.head, 1, 1) == 'l' then
    keep(c)
  end
end
