-- What adds to counters, and needs the time.

local FEW = 64

-- renew puts the next look at a counter off: half of forget, or not at all while
-- a claim may come late.
local function renew(c)
  c.longest = c.ask
  c.calm = c.late > server and 0 or server + forget * 500
end

-- life is how long, in milliseconds, a counter is kept that nobody adds to.
local function life(c)
  return string.format('%.0f', math.ceil(c.longest / 1000) + forget)
end

-- keep writes how far back anybody looks, and puts the expiry off.
local function keep(c)
  renew(c)
  call('SETRANGE', c.key, c.size, trailer(c))
  call('PEXPIRE', c.key, life(c))
end

-- rest writes a counter anew: its newest entries only.
local function rest(c, entries)
  renew(c)
  c.size = #entries
  c.cut = math.max(FEW * ENTRY, 2 * c.size)
  call('SET', c.key, entries .. trailer(c), 'PX', life(c))
end

-- enter adds an entry to a counter, once a claim.
local function enter(c)
  local entry = pack('>I8c8', now, request[1])
  if not c.there then
    rest(c, entry)
    return
  end
  local at = c.size
  c.size = at + ENTRY
  call('SETRANGE', c.key, at, entry .. trailer(c))
  if c.size >= c.cut then
    c.n = math.min(c.size / ENTRY, CAP)
    local live = after(c, now - c.ask)
    rest(c, call('GETRANGE', c.key, c.size - ENTRY * live, c.size - 1))
  elseif c.ask > c.longest or server >= c.calm then
    keep(c)
  end
end
