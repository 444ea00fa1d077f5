-- A counter is a list: its head, and then every entry from the newest on, each
-- its time and the name of the claim that added it, eight bytes each. So an entry
-- is added behind the head and found by its rank, and neither costs more when
-- there are more.
--
-- The head is of eighteen bytes, of which the first two say what the last eight
-- are, all times of the server: "qs", if the counter is quiet and its entries are
-- of the server's time, or "qo", if claims brought their own: until when it is
-- known to live; or "l-", if it is loud: until when a claim that was made again, or
-- undone, may yet come from where it was lost. In between is the longest window
-- that anybody has asked for. As long as a counter is quiet its head does not
-- change, so that a claim may add its entry by one command, which does nothing
-- if the head is another.

local CAP, EPOCH = 10000, 1000000000
local pack = struct.pack

-- counter reads what is needed of a counter, whether it is there or not.
local function counter(id)
  local key = prefix .. 'c3:' .. id
  local found = call('LINDEX', key, '0')
  if not found then
    return { key = key, id = id, n = 0, longest = 0, ask = 0, late = 0 }
  end
  local mode, longest, till = unpack('>c2I8I8', found)
  local n = math.min(call('LLEN', key) - 1, CAP)
  return { key = key, id = id, head = found, n = n, longest = longest, late = mode == 'l-' and till or 0, ask = longest }
end

-- newest returns the time of the k-th newest entry, from 1.
local function newest(c, k)
  return (unpack('>I8', call('LINDEX', c.key, k)))
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

-- cut takes out an entry, and a counter that has no other and needs none.
local function cut(c, entry)
  if call('LREM', c.key, '1', entry) == 1 then
    c.n = c.n - 1
  end
  if c.n == 0 and c.late == 0 then
    call('DEL', c.key)
    c.head = nil
  end
end
