-- A counter is a string: every entry in the order of their times, each its time
-- and the name of the claim that added it, eight bytes each; and a trailer. So
-- an entry is found by its rank, added at the end, and looked for by halves, and
-- none of it costs more when there are more. Those that no window reaches are
-- cut off when they are half of all.
--
-- The trailer: the longest window anybody has asked for; until when, by the
-- server, a claim may add an entry without a look at anything but the trailer;
-- until when, by the server, a claim that was made again, or undone, may yet come
-- from where it was lost; at how many bytes to cut next; and how many bytes the entries are.

local TRAILER, ENTRY, CAP = 32, 16, 10000
local pack = struct.pack

local function trailer(c)
  return pack('>I8I8I8I4I4', c.longest, c.calm, c.late, c.cut, c.size)
end

-- counter reads what is needed of a counter, whether it is there or not.
local function counter(id)
  local key = prefix .. 'c2:' .. id
  local found = call('GETRANGE', key, '-32', '-1')
  if #found < TRAILER then
    return { key = key, id = id, size = 0, n = 0, longest = 0, ask = 0, late = 0, cut = 0 }
  end
  local longest, calm, late, cut, size = unpack('>I8I8I8I4I4', found)
  return { key = key, id = id, size = size, n = math.min(size / ENTRY, CAP), longest = longest, calm = calm, late = late, cut = cut, ask = longest, there = true }
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

-- cut takes out the entry that so many bytes are before.
local function cut(c, at)
  c.size = c.size - ENTRY
  if c.size == 0 and c.late == 0 then
    call('DEL', c.key)
    return
  end
  local entries = call('GETRANGE', c.key, 0, c.size + ENTRY - 1)
  call('SET', c.key, string.sub(entries, 1, at) .. string.sub(entries, at + ENTRY + 1) .. trailer(c), 'KEEPTTL')
end

-- remove takes out one entry of exactly a time.
local function remove(c, time)
  local k = after(c, time) + 1 -- the newest that is not later
  if k <= c.n and newest(c, k) == time then
    cut(c, c.size - ENTRY * k)
  end
end
