-- A release. The request: its name, how long that is remembered, the
-- call. The reply: 0.

local found = call('GET', prefix .. 'k2:' .. request[3])
if not found then
  return { 0 }
end
local record = cmsgpack.unpack(found)
for _, e in ipairs(record[2]) do
  local run = e[2] ~= '' and prefix .. 'r:' .. e[1] .. e[2]
  if not run or call('GET', run) ~= '1' then -- a run that other calls have joined stays counted
    if run then
      call('DEL', run)
    end
    cut(counter(e[1]), e[3])
  end
end
for _, l in ipairs(record[4]) do
  free(l[1], l[2])
end
for _, r in ipairs(record[5]) do
  unreserve(r[1], r[2])
end
call('DEL', prefix .. 'k2:' .. request[3])
return done({ 0 })
