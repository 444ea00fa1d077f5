-- What adds to counters, and needs the time.

local FEW = 64

local function header(c)
  return pack('>I8I8I8', c.longest, c.cut, c.fresh)
end

-- life is how long, in milliseconds, a counter is kept that nobody adds to.
local function life(c)
  return string.format('%.0f', math.ceil(c.longest / 1000) + forget)
end

-- keep writes how far back anybody looks, and puts the expiry off.
local function keep(c)
  c.longest, c.fresh = c.ask, server
  call('SETRANGE', c.key, 0, header(c))
  call('PEXPIRE', c.key, life(c))
end

-- rest writes a counter anew: its newest entries only.
local function rest(c, entries)
  c.longest, c.fresh = c.ask, server
  c.cut = math.max(FEW, #entries / 4)
  call('SET', c.key, header(c) .. entries, 'PX', life(c))
end

-- enter adds an entry to a counter, once a claim.
local function enter(c)
  if c.size == 0 then
    rest(c, pack('>I8', now))
    return
  end
  c.size = call('APPEND', c.key, pack('>I8', now))
  local all = (c.size - HEADER) / 8
  if all >= c.cut then
    c.n = math.min(all, CAP)
    local live = after(c, now - c.ask)
    rest(c, call('GETRANGE', c.key, c.size - 8 * live, -1))
  elseif c.ask > c.longest or server - c.fresh > forget * 500 then
    keep(c)
  end
end
