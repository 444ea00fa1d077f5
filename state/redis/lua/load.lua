-- What is there. The request: the keys of cells, of accounts, and now. The reply,
-- of texts: for each version and value, or settled and reserved; and the time.

local reply = {}
for _, of in ipairs(request[1]) do
  reply[#reply + 1], reply[#reply + 2] = cell(of)
end
for _, of in ipairs(request[2]) do
  local found = call('HMGET', prefix .. 'b:' .. of, 's', 'r')
  reply[#reply + 1] = found[1] or '0'
  reply[#reply + 1] = found[2] or '0'
end
reply[#reply + 1] = string.format('%.0f', now)
return reply
