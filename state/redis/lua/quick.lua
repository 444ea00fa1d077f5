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

local NEVER, WINDOW = 2 ^ 31, 12 -- no rank; how long the place of a window is, also if there is none
local entry = struct.pack('>I8c8', now, blob)
local added, runs = {}, 0 -- what was added to: for each counter the key, the head and how long the list is
local quiet = true
pos = counters > 0 and 49 or 68 + WINDOW
for i = 1, counters do
  local key, head, n = KEYS[i], nil, length or 0
  mark, windows, pos = unpack('>c18B', blob, pos)
  if not length and windows < 128 and server < till then
    n = call('LINSERT', key, 'AFTER', mark, entry)
  end
  length, head = nil, mark
  if n <= 0 then
    -- The head is another, which may do as well: one of a longer window.
    head = call('LINDEX', key, '0')
    if head and string.sub(head, 1, 2) == string.sub(mark, 1, 2) then
      local longest, ends = unpack('>I8I8', head, 3)
      if server < ends and longest >= unpack('>I8', mark, 3) then
        n = windows < 128 and call('LINSERT', key, 'AFTER', head, entry) or NEVER
      end
    end
    if n <= 0 then
      quiet = false
      break
    end
  end
  local behind = 1 -- the entry that was added is before the one of a rank
  if windows < 128 then
    local k = #added
    added[k + 1], added[k + 2], added[k + 3] = key, head, n
  else
    windows, behind, runs = windows - 128, 0, runs + 1
    local run = KEYS[counters + cells + runs]
    quiet = call('GET', run) == '1' and call('PTTL', run) >= unpack('>I8', blob, 21) -- joined, and remembered for long
  end
  for _ = 1, windows do
    span, rank, pos = unpack('>I8I4', blob, pos)
    if quiet and rank + behind < n then
      local found = call('LINDEX', key, rank + behind)
      quiet = not found or unpack('>I8', found) <= now - span
    end
  end
  if not quiet then
    break
  end
  if windows == 0 then
    pos = pos + WINDOW
  end
end
for i = 1, quiet and cells or 0 do
  local version, value
  version, value, pos = unpack('>Bc0I4c0', blob, pos)
  local found = call('HMGET', KEYS[counters + i], 'v', 'd', 'e')
  if not found[1] or found[3] and found[3] + 0 <= now then
    quiet = version == '0' and value == ''
  else
    quiet = version == found[1] and value == found[2]
  end
  if not quiet then
    break
  end
end
if quiet and kind % 2 == 1 then
  local entries = {}
  for i = 1, #added, 3 do
    entries[#entries + 1] = { string.match(added[i], '}:c3:(.*)'), '', entry }
  end
  local record = cmsgpack.pack({ now, entries, {}, {}, {}, {}, string.sub(blob, 1, 16) })
  quiet = call('SET', KEYS[counters + cells + runs + 1], record, 'PX', string.format('%.0f', (unpack('>I8', blob, 21))), 'NX')
end
for i = 1, #added, 3 do
  local key, head, n = added[i], added[i + 1], added[i + 2]
  if not quiet then
    call('LPOP', key) -- so the entry is where the head was, and is written over
    call('LSET', key, '0', head)
  elseif n % 64 == 0 then
    -- The oldest that no one can see are dropped, a few more than have come.
    local dead = now - unpack('>I8', head, 3)
    if n > 128 and unpack('>I8', call('LINDEX', key, '-128')) <= dead then
      call('LTRIM', key, '0', '-129')
    elseif n > 64 and unpack('>I8', call('LINDEX', key, '-64')) <= dead then
      call('LTRIM', key, '0', '-65')
    end
  end
end
if quiet then
  return now
end
