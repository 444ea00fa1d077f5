-- How long what nobody ends is remembered, in milliseconds, and twice as long,
-- so that not every use must put it off.

local forget = tonumber(request[3])
local twice = string.format('%.0f', 2 * forget)
