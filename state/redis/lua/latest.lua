-- latest sets the time to that of a request, 0 for the server's, and never
-- before one that it was set to for another. It is kept as a text: to write a
-- number as one takes longer than a command does.
local function latest(own, key)
  local micros = seconds[2]
  local stamp = seconds[1] .. string.sub('000000', #micros + 1) .. micros
  if own > 0 then
    now, stamp = own, string.format('%.0f', own)
  end
  local found = call('SET', key, stamp, 'GET')
  if found and found + 0 > now then
    now = found + 0
    call('SET', key, found)
  end
end
