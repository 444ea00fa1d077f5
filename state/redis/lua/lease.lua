-- A lease is the time at which it ends, and its holder.

local function lease(of)
  local found = call('GET', prefix .. 'l:' .. of)
  if not found then
    return 0
  end
  local l = cmsgpack.unpack(found)
  return l[1], l[2]
end

-- free frees a lease if it is the holder's.
local function free(of, holder)
  local _, by = lease(of)
  if by == holder then
    call('DEL', prefix .. 'l:' .. of)
  end
end
