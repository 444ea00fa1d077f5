-- A cell is a hash: its version, its value, and when it expires, if it does. The
-- server drops it some time after.

-- cell returns version and value of a cell, as texts; '0' and '': there is none.
local function cell(of)
  local found = call('HMGET', prefix .. 'v:' .. of, 'v', 'd', 'e')
  if not found[1] or found[3] and found[3] + 0 <= now then
    return '0', ''
  end
  return found[1], found[2]
end

-- asSeen compares cells, each { key, version, value }, with what was seen of
-- them; it returns the first that is another, from 1, or 0.
local function asSeen(expects)
  for i, e in ipairs(expects) do
    local version, value = cell(e[1])
    if version ~= e[2] or value ~= e[3] then
      return i
    end
  end
  return 0
end
