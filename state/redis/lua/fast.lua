-- The claims that are made most often: of counters only, which are there, and
-- none of whose windows is full, by cells that are as they were seen. Any other
-- is left, untouched, to what follows.
-- It repeats in short what is said there at length, because a script that says
-- more takes longer even where it is not heeded.

if request[6] == 0 and not request[10] then
  local needs, run, keys, seen = request[7], request[5], {}, {}
  local entries = request[8] and request[8] ~= '' and {}
  local quiet = not request[9] or asSeen(request[9]) == 0
  for i = 1, quiet and #needs or 0 do
    local n = needs[i]
    local id, windows, front, add = n[1], n[3], n[4], 1
    local key = prefix .. 'c:' .. id
    local head = call('GETRANGE', key, '0', '535') -- all of a counter of less than 64 entries
    local size = #head
    if size < 24 or n[5] or seen[id] then
      quiet = false
      break
    end
    seen[id] = true
    if n[2] == 1 and run ~= '' then -- a run that is counted, and will be for long
      local of = prefix .. 'r:' .. id .. run
      if call('GET', of) ~= '1' or call('PTTL', of) < request[3] + 0 then
        quiet = false
        break
      end
      add = 0
    end
    if size == 536 then
      size = call('STRLEN', key)
    end
    local longest, cut, fresh = unpack('>I8I8I8', head)
    if size + 8 >= 24 + 8 * cut or server - fresh > request[3] * 500 then
      quiet = false
      break
    end
    for w = 1, #windows, 3 do
      quiet = quiet and windows[w] <= longest
    end
    for f = 1, front and #front or #windows / 3 do
      local w = front and 3 * front[f] + 1 or 3 * f - 2
      local rank = windows[w + 1] + 1 - add
      local at = size - 8 * rank
      if rank == 0 then
        quiet = false
      elseif at >= 24 then
        local entry
        if size < 536 then
          entry = unpack('>I8', head, at + 1)
        else
          entry = unpack('>I8', call('GETRANGE', key, at, at + 7))
        end
        quiet = quiet and entry <= now - windows[w]
      end
    end
    if not quiet then
      break
    end
    if add == 1 then
      keys[#keys + 1] = key
      if entries then
        entries[#entries + 1] = { id, now, '' }
      end
    end
  end
  if quiet then
    local first
    if entries then
      first = call('SET', prefix .. 'k:' .. request[8], cmsgpack.pack({ now, entries, {}, {}, {}, {}, request[1] }), 'PX', request[3], 'NX')
    else
      first = call('SET', prefix .. 'n:' .. request[1], stamp, 'PX', request[2], 'NX')
    end
    if first then
      local entry = struct.pack('>I8', now)
      for i = 1, #keys do
        call('APPEND', keys[i], entry)
      end
      return now
    end
  end
end
