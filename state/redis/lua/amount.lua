-- Amounts go to 2^63 - 1, which a double cannot tell from its neighbours: they
-- are two parts, of which the lower has nine digits.

local BASE = 1000000000

local function amount(text)
  return { tonumber(string.sub(text, 1, -10)) or 0, tonumber(string.sub(text, -9)) or 0 }
end

local ZERO, MOST = amount('0'), amount('9223372036854775807')

local function text(a)
  if a[1] == 0 then
    return string.format('%.0f', a[2])
  end
  return string.format('%.0f%09.0f', a[1], a[2])
end

local function plus(a, b)
  local low = a[2] + b[2]
  if low >= BASE then
    return { a[1] + b[1] + 1, low - BASE }
  end
  return { a[1] + b[1], low }
end

-- minus is for b of at most a.
local function minus(a, b)
  local low = a[2] - b[2]
  if low < 0 then
    return { a[1] - b[1] - 1, low + BASE }
  end
  return { a[1] - b[1], low }
end

local function more(a, b)
  return a[1] > b[1] or a[1] == b[1] and a[2] > b[2]
end

-- sum stops at what can be held.
local function sum(a, b)
  local s = plus(a, b)
  return more(s, MOST) and MOST or s
end

-- An account is a hash: what was spent, the sum of what is set aside, and each
-- of its amounts under its id.
local function account(of)
  local found = call('HMGET', prefix .. 'b:' .. of, 's', 'r')
  return amount(found[1] or '0'), amount(found[2] or '0')
end

-- aside returns the amount of a live reservation, or nil.
local function aside(of, id)
  local found = call('HGET', prefix .. 'b:' .. of, 'i' .. id)
  return found and amount(found)
end

-- unreserve drops a reservation that is still live.
local function unreserve(of, id)
  local live = aside(of, id)
  if live then
    local _, reserved = account(of)
    local key = prefix .. 'b:' .. of
    call('HSET', key, 'r', text(minus(reserved, live)))
    call('HDEL', key, 'i' .. id)
  end
end
