-- The time of a request: its own or the server's. The server's time alone says
-- what is long unused.

local seconds = call('TIME')
local server = seconds[1] * 1000000 + seconds[2]
local now = server
