-- The time of a request: its own or the server's, and never before one that any
-- request has had. The server's time alone says what is long unused. It is kept
-- as a text too: to write a number as one takes longer than a command does.

local seconds = call('TIME')
local micros = seconds[2]
local server = seconds[1] * 1000000 + micros
local now, stamp = request[4], nil
if now == 0 then
  now, stamp = server, seconds[1] .. string.sub('000000', #micros + 1) .. micros
else
  stamp = string.format('%.0f', now)
end
local latest = call('SET', KEYS[1], stamp, 'GET')
if latest and latest + 0 > now then
  now, stamp = latest + 0, latest
  call('SET', KEYS[1], stamp)
end
