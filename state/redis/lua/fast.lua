-- The claims that are made most often: of counters only, which are there and
-- none of whose windows is full, by cells that are as they were seen. Any other
-- is left, untouched, to what follows.
-- It repeats in short what is said there at length, is asked in numbers of fixed
-- widths, and makes no table for one counter, because every name and table
-- counts here. It notes no domain's time for a claim of the server's time: that
-- it is not before any entry of the counters is enough for these.
--
-- KEYS: the counters; the cells; for every counter of runs the run; the call, if
-- it has an identity; and the domain's time, if the claim brings its own or
-- there is no other. ARGV[1]: the name of the claim, 16 bytes; where the request
-- in MessagePack begins, for what follows; forget; its own time or 0; whether it may have come
-- before; how many counters, or 255 for a claim that is none of these; how many
-- cells; 1 if it is of a call, and 2 more if it brings its own time. Then for
-- each counter how many windows it has, 128 more if it counts runs, and for each
-- its span and the rank of the entry that must have left it, of which the first
-- are always there; and for each cell its version and its value, with their lengths.

local blob = ARGV[1]
local shape, windows, span, rank, pos = unpack('>I4BI8I4', blob, 37)
local again, counters, cells, identity, own = 0, 1, 0, 0, 0
if shape ~= 65536 then
  again, counters, cells, identity = string.byte(blob, 37, 40)
  if identity >= 2 then
    identity = identity - 2
    own = unpack('>I8', blob, 29)
    now = own
    local found = call('SET', KEYS[#KEYS], string.format('%.0f', own), 'GET')
    if found and found + 0 > own then
      now = found + 0
      call('SET', KEYS[#KEYS], found)
    end
  end
end
if again == 0 and counters < 255 then
  -- What is added to last, and what to before: the key, its trailer, how many
  -- bytes its entries are, and those of the younger half if the older is dead
  -- and to be cut.
  local added, trailer, bytes, rest, before
  local quiet, runs = true, 0
  for i = 1, counters do
    local key = KEYS[i]
    local tail = call('GETRANGE', key, '-48', '-1')
    if #tail < 48 then
      quiet = false
      break
    end
    local newest, longest, calm, cut, size = unpack('>I8xxxxxxxxI8I8xxxxxxxxI4I4', tail)
    if server >= calm or newest > now then
      quiet = false
      break
    end
    if i > 1 then
      windows, span, rank, pos = unpack('>BI8I4', blob, pos)
    end
    if windows >= 128 then
      windows = windows - 128
      runs = runs + 1
      local run = KEYS[counters + cells + runs]
      if call('GET', run) ~= '1' or call('PTTL', run) < unpack('>I8', blob, 21) then -- joined, and remembered for long
        quiet = false
        break
      end
    else
      if added then
        before = before or {}
        before[#before + 1] = { added, trailer, bytes, rest }
      end
      added, trailer, bytes, rest = key, tail, size, nil
      if size + 16 >= cut then
        local half = 16 * math.floor(size / 32)
        if cut > 1024 or unpack('>I8', call('GETRANGE', key, half - 16, half - 1)) > now - longest then
          quiet = false
          break
        end
        rest = call('GETRANGE', key, half, size - 1)
      end
    end
    for w = 1, windows do
      if w > 1 then
        span, rank, pos = unpack('>I8I4', blob, pos)
      end
      local at = size - 16 * rank
      if span > longest or rank == 0 or at >= 0 and unpack('>I8', call('GETRANGE', key, at, at + 7)) > now - span then
        quiet = false
        break
      end
    end
    if not quiet then
      break
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
  if quiet and identity == 1 then
    local entries = {}
    for i = 1, before and #before or 0 do
      entries[i] = { string.match(before[i][1], '}:c2:(.*)'), now, '' }
    end
    if added then
      entries[#entries + 1] = { string.match(added, '}:c2:(.*)'), now, '' }
    end
    local record = cmsgpack.pack({ now, entries, {}, {}, {}, {}, string.sub(blob, 1, 16) })
    quiet = call('SET', KEYS[counters + cells + runs + 1], record, 'PX', string.format('%.0f', (unpack('>I8', blob, 21))), 'NX')
  end
  if quiet then
    local i = 0
    while added do
      local at = rest and #rest or bytes
      local entry = struct.pack('>I8c8c28I4', now, blob, string.sub(trailer, 17), at + 16)
      if rest then
        call('SET', added, rest .. entry, 'KEEPTTL')
      else
        call('SETRANGE', added, at, entry)
      end
      i = i + 1
      if before and before[i] then
        added, trailer, bytes, rest = before[i][1], before[i][2], before[i][3], before[i][4]
      else
        added = nil
      end
    end
    return now
  end
end
