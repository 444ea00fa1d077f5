-- The claims that are made most often: of counters only, which are there and
-- none of whose windows is full, by cells that are as they were seen. Any other
-- is left, untouched, to what follows.
-- It repeats in short what is said there at length, and is asked in numbers of
-- fixed widths, because a script that says more takes longer even where it is
-- not heeded. It notes no domain's time for a claim of the server's time: that
-- it is not before any entry of the counters is enough for these.
--
-- KEYS: the counters; the cells; for every counter of runs the run; the call, if
-- it has an identity; and the domain's time, if the claim brings its own or
-- there is no other. ARGV[1]: the name of the claim, 16 bytes; where the request
-- in MessagePack begins, for what follows; forget; whether it may have come
-- before; how many counters, or 255 for a claim that is none of these; how many
-- cells; whether it is of a call; its own time or 0. Then for each counter how
-- many windows it has, 128 more if it counts runs, and for each its span and the
-- rank of the entry that must have left it, of which the first are always there;
-- and for each cell its version and its value, with their lengths.

local blob = ARGV[1]
local again, counters, cells, identity, own, windows, span, rank, pos = unpack('>BBBBI8BI8I4', blob, 29)
if own > 0 then
  now = own
  local found = call('SET', KEYS[#KEYS], string.format('%.0f', own), 'GET')
  if found and found + 0 > own then
    now = found + 0
    call('SET', KEYS[#KEYS], found)
  end
end
if again == 0 and counters < 255 then
  local quiet, runs, added, cuts = true, 0, {}, {}
  for i = 1, counters do
    local key = KEYS[i]
    local head = call('GETRANGE', key, '0', '1055') -- all of a counter of less than 64 entries
    local size = #head
    if size <= 32 then
      quiet = false
      break
    end
    local longest, calm, cut = unpack('>I8I8I8', head)
    local newest
    if size < 1056 then
      newest = unpack('>I8', head, size - 15)
    else
      newest = unpack('>I8', call('GETRANGE', key, '-16', '-9'))
    end
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
      added[#added + 1], cuts[#cuts + 1] = key, cut
    end
    for w = 1, windows do
      if w > 1 then
        span, rank, pos = unpack('>I8I4', blob, pos)
      end
      if span > longest or rank == 0 then
        quiet = false
      elseif size < 1056 then
        local at = size - 16 * rank
        quiet = quiet and (at < 32 or unpack('>I8', head, at + 1) <= now - span)
      else
        -- Of a counter with fewer entries this is not eight bytes, or some of
        -- its header, which is no time and at worst gives work to what follows.
        local entry = call('GETRANGE', key, -16 * rank, 7 - 16 * rank)
        quiet = quiet and (#entry < 8 or unpack('>I8', entry) <= now - span)
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
    for i = 1, #added do
      entries[i] = { string.match(added[i], '}:c2:(.*)'), now, '' }
    end
    local record = cmsgpack.pack({ now, entries, {}, {}, {}, {}, string.sub(blob, 1, 16) })
    quiet = call('SET', KEYS[counters + cells + runs + 1], record, 'PX', string.format('%.0f', (unpack('>I8', blob, 21))), 'NX')
  end
  if quiet then
    local entry = struct.pack('>I8c8', now, blob)
    for i = 1, #added do
      if call('APPEND', added[i], entry) >= cuts[i] then
        call('SETRANGE', added[i], '8', '\0\0\0\0\0\0\0\0') -- the next is for what follows, which cuts it
      end
    end
    return now
  end
end
