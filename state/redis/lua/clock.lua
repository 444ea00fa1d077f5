-- The time of a request: its own or the server's, and never before one that any
-- request has had. The server's time alone says what is long unused.

local seconds = call('TIME')
local server = seconds[1] * 1000000 + seconds[2]
local now = request[4]
if now == 0 then
  now = server
end
local latest = tonumber(call('SET', KEYS[1], now, 'GET') or 0)
if latest > now then
  now = latest
  call('SET', KEYS[1], now)
end
