-- A counter is a string: a header, and every entry in the order of their times,
-- each its time and the name of the claim that added it, eight bytes each. So an
-- entry is found by its rank, added at the end, and looked for by halves, and
-- none of it costs more when there are more. Those that no window reaches are
-- cut off when they are half of all.
--
-- The header: the longest window anybody has asked for; until when, by the
-- server, a claim may add an entry without a look at anything of this but that;
-- at how many bytes to cut next; and until when, by the server, a claim that
-- was made again may yet come from where it was lost.

local HEADER, ENTRY, CAP = 32, 16, 10000
local pack = struct.pack

-- counter reads what is needed of a counter, whether it is there or not.
local function counter(id)
  local key = prefix .. 'c2:' .. id
  local size = call('STRLEN', key)
  if size < HEADER then
    return { key = key, id = id, size = 0, n = 0, longest = 0, ask = 0, late = 0 }
  end
  local longest, calm, cut, late = unpack('>I8I8I8I8', call('GETRANGE', key, 0, HEADER - 1))
  local n = math.min((size - HEADER) / ENTRY, CAP)
  return { key = key, id = id, size = size, n = n, longest = longest, calm = calm, cut = cut, late = late, ask = longest }
end

-- newest returns the k-th newest entry, from 1.
local function newest(c, k)
  local at = c.size - ENTRY * k
  return (unpack('>I8', call('GETRANGE', c.key, at, at + 7)))
end

-- after returns how many entries are later than a time.
local function after(c, time)
  local few, many = 0, c.n -- the newest few are later, those beyond many are not
  while few < many do
    local k = math.ceil((few + many) / 2)
    if newest(c, k) > time then
      few = k
    else
      many = k - 1
    end
  end
  return few
end

-- cut takes out the entry that is at a place.
local function cut(c, at)
  local entries = call('GETRANGE', c.key, HEADER, at - 1) .. call('GETRANGE', c.key, at + ENTRY, -1)
  if entries == '' and c.late == 0 then
    call('DEL', c.key)
  else
    call('SET', c.key, call('GETRANGE', c.key, 0, HEADER - 1) .. entries, 'KEEPTTL')
  end
end

-- remove takes out one entry of exactly a time.
local function remove(c, time)
  local k = after(c, time) + 1 -- the newest that is not later
  if k <= c.n and newest(c, k) == time then
    cut(c, c.size - ENTRY * k)
  end
end
