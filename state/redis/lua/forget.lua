-- What has ended. The request: its name, how long that is remembered, the
-- session, accounts, cells. The reply: 0.

if request[3] ~= '' then
  call('DEL', prefix .. 'a:' .. request[3])
end
for _, of in ipairs(request[4]) do
  call('DEL', prefix .. 'b:' .. of)
end
for _, of in ipairs(request[5]) do
  call('DEL', prefix .. 'v:' .. of)
end
return done({ 0 })
