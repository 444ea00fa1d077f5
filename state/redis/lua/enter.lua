-- What adds to counters, and needs the time.

local FEW = 64

-- header puts the next look at a counter off: half of forget, or not at all
-- while a claim may come late.
local function header(c)
  c.longest = c.ask
  c.calm = c.late > server and 0 or server + forget * 500
  return pack('>I8I8I8I8', c.longest, c.calm, c.cut, c.late)
end

-- life is how long, in milliseconds, a counter is kept that nobody adds to.
local function life(c)
  return string.format('%.0f', math.ceil(c.longest / 1000) + forget)
end

-- keep writes how far back anybody looks, and puts the expiry off.
local function keep(c)
  call('SETRANGE', c.key, 0, header(c))
  call('PEXPIRE', c.key, life(c))
end

-- rest writes a counter anew: its newest entries only.
local function rest(c, entries)
  c.cut = HEADER + math.max(FEW * ENTRY, 2 * #entries)
  call('SET', c.key, header(c) .. entries, 'PX', life(c))
end

-- enter adds an entry to a counter, once a claim.
local function enter(c)
  local entry = pack('>I8c8', now, request[1])
  if c.size == 0 then
    rest(c, entry)
    return
  end
  c.size = call('APPEND', c.key, entry)
  if c.size >= c.cut then
    c.n = math.min((c.size - HEADER) / ENTRY, CAP)
    local live = after(c, now - c.ask)
    rest(c, call('GETRANGE', c.key, c.size - ENTRY * live, -1))
  elseif c.ask > c.longest or server >= c.calm then
    keep(c)
  end
end
