-- An approval. The request: its name, how long that is remembered, forget, how
-- many a session may have, the session, the approval, whether it is for the run,
-- when it expires. The reply: 0.

local most, key, digest = request[4], prefix .. 'a:' .. request[5], request[6]
local now = tonumber(call('GET', KEYS[1]) or 0) -- it brings no time of its own

local function held(a)
  return a[2] == 0 or a[2] > now
end

local found = call('HGET', key, digest)
local run = request[7]
if found then
  local old = cmsgpack.unpack(found)
  if old[1] == 1 and held(old) then
    run = 1
  end
elseif call('HLEN', key) - 1 >= most then -- one field is how many were ever given
  -- Those that have expired make room, or the oldest.
  local all, gone, oldest, first = call('HGETALL', key), {}, nil, math.huge
  for i = 1, #all, 2 do
    if all[i] ~= '#' then
      local a = cmsgpack.unpack(all[i + 1])
      if not held(a) then
        gone[#gone + 1] = all[i]
      elseif a[3] < first then
        oldest, first = all[i], a[3]
      end
    end
  end
  if #gone == 0 then
    gone = { oldest }
  end
  for _, field in ipairs(gone) do
    call('HDEL', key, field)
  end
end
call('HSET', key, digest, cmsgpack.pack({ run, request[8], call('HINCRBY', key, '#', 1) }))
call('PEXPIRE', key, twice)
return done({ 0 })
