-- Any of the claims of the first part. It adds to the counters, one after the
-- other, and takes that back if it comes upon what is not as it should be.

local counters, cells, kind
again, counters, cells, kind = string.byte(blob, 37, 40)
if kind >= 2 then
  own = unpack('>I8', blob, 29)
  now = own
  local found = call('SET', KEYS[#KEYS], string.format('%.0f', own), 'GET')
  if found and found + 0 > own then
    now = found + 0
    call('SET', KEYS[#KEYS], found)
  end
end
if again == 1 or counters == 255 then
  return
end

local forget = unpack('>I8', blob, 21)
local entry = struct.pack('>I8c8', now, blob)
local NEVER, NOTHING = 2 ^ 31, 12 -- no rank; how long the place of a window is, also if there is none
local heads, ids = {}, {} -- of the counters that were added to

-- quiet returns the head of a counter if it is the one it should be, but for a
-- longer window.
local function quiet(key)
  local head = call('LINDEX', key, '0')
  if head and string.sub(head, 1, 2) == string.sub(mark, 1, 2) then
    local longest, ends = unpack('>I8I8', head, 3)
    return server < ends and longest >= unpack('>I8', mark, 3) and head
  end
end

-- took notes what a counter has taken.
local function took(key, head)
  heads[key] = head
  ids[#ids + 1] = string.match(key, '}:c3:(.*)')
end

-- add adds to a counter, and returns how long the list is then, or 0.
local function add(key)
  local head = mark
  local n = server < till and not length and call('LINSERT', key, 'AFTER', mark, entry) or 0
  if n <= 0 then
    head = quiet(key)
    n = head and call('LINSERT', key, 'AFTER', head, entry) or 0
  end
  if n > 0 then
    took(key, head)
  end
  return n
end

-- joined reports whether a run was counted that other calls are of, and is
-- remembered for long.
local function joined(key)
  return call('GET', key) == '1' and call('PTTL', key) >= forget
end

-- open reports whether the windows of a counter have room, if the entry of a rank
-- is so many places behind it in a list of a length.
local function open(key, n, behind)
  local is = true
  if windows % 128 == 0 then
    pos = pos + NOTHING
  end
  for _ = 1, windows % 128 do
    span, rank, pos = unpack('>I8I4', blob, pos)
    if is and rank + behind < n then
      local found = call('LINDEX', key, rank + behind)
      is = not found or unpack('>I8', found) <= now - span
    end
  end
  return is
end

-- trim drops the oldest entries of a counter if no one can see them.
local function trim(key, n)
  local dead = now - unpack('>I8', heads[key], 3)
  for _, few in ipairs({ 128, 64 }) do
    if n > few and unpack('>I8', call('LINDEX', key, -few)) <= dead then
      call('LTRIM', key, 0, -few - 1)
      return
    end
  end
end

-- seen reports whether the cells are as they were seen.
local function seen()
  for i = 1, cells do
    local version, value, is
    version, value, pos = unpack('>Bc0I4c0', blob, pos)
    local found = call('HMGET', KEYS[counters + i], 'v', 'd', 'e')
    if not found[1] or found[3] and found[3] + 0 <= now then
      is = version == '0' and value == ''
    else
      is = version == found[1] and value == found[2]
    end
    if not is then
      return false
    end
  end
  return true
end

local lengths, runs = {}, 0
local function counted()
  pos = counters > 0 and 49 or 68 + NOTHING
  for i = 1, counters do
    local key = KEYS[i]
    mark, windows, pos = unpack('>c18B', blob, pos)
    if windows < 128 then
      local n = heads[key] and length or add(key)
      length = nil
      if n == 0 or not open(key, n, 1) then
        return false
      end
      lengths[key] = n
    else
      runs = runs + 1
      if not quiet(key) or not joined(KEYS[counters + cells + runs]) or not open(key, NEVER, 0) then
        return false
      end
    end
  end
  return true
end

-- identified remembers a call with an identity, if it is the first time.
local function identified()
  if kind % 2 == 0 then
    return true
  end
  local entries = {}
  for i, id in ipairs(ids) do
    entries[i] = { id, '', entry }
  end
  local record = cmsgpack.pack({ now, entries, {}, {}, {}, {}, string.sub(blob, 1, 16) })
  return call('SET', KEYS[counters + cells + runs + 1], record, 'PX', string.format('%.0f', forget), 'NX')
end

if length and length > 0 then
  took(KEYS[1], mark)
end
if counted() and seen() and identified() then
  for key, n in pairs(lengths) do
    if n % 64 == 0 then
      trim(key, n)
    end
  end
  return now
end
for key, head in pairs(heads) do -- the entry comes to the head's place, and is overwritten
  call('LPOP', key)
  call('LSET', key, 0, head)
end
