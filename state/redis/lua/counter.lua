-- A counter is a string: a header, and the time of every entry in ascending
-- order, eight bytes each. So an entry is found by its rank, added at the end,
-- and looked for by halves, and none of it costs more when there are more.
-- Those that no window reaches are cut off when they are half of all.
--
-- The header: the longest window anybody has asked for; with how many entries
-- to cut next; and when, by the server, the counter's expiry was set.

local HEADER, CAP = 24, 10000
local pack = struct.pack

-- counter reads what is needed of a counter, whether it is there or not.
local function counter(id)
  local key = prefix .. 'c:' .. id
  local size = call('STRLEN', key)
  if size < HEADER then
    return { key = key, id = id, size = 0, n = 0, longest = 0, ask = 0 }
  end
  local longest, cut, fresh = unpack('>I8I8I8', call('GETRANGE', key, 0, HEADER - 1))
  local n = (size - HEADER) / 8
  if n > CAP then
    n = CAP
  end
  return { key = key, id = id, size = size, n = n, longest = longest, cut = cut, fresh = fresh, ask = longest }
end

-- newest returns the k-th newest entry, from 1.
local function newest(c, k)
  local at = c.size - 8 * k
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

-- remove takes out one entry of exactly a time.
local function remove(c, time)
  local k = after(c, time) + 1 -- the newest that is not later
  if k > c.n or newest(c, k) ~= time then
    return
  end
  local at = c.size - 8 * k
  local entries = call('GETRANGE', c.key, HEADER, at - 1) .. call('GETRANGE', c.key, at + 8, -1)
  if entries == '' then
    call('DEL', c.key)
  else
    call('SET', c.key, call('GETRANGE', c.key, 0, HEADER - 1) .. entries, 'KEEPTTL')
  end
end
