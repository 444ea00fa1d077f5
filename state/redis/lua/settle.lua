-- A settlement. The request: its name, how long that is remembered, forget, now,
-- the call, the leases' keys, their holder, amounts spent, cells. The reply: 0,
-- or 1 and the cell that has moved on.

for i, w in ipairs(request[9]) do
  if (call('HGET', prefix .. 'v:' .. w[1], 'v') or '0') ~= w[2] then
    return { 1, i - 1 }
  end
end

for _, of in ipairs(request[6]) do
  free(of, request[7])
end

-- Amounts: each is { account, id, amount, the id's name }. An id is settled once.
for _, s in ipairs(request[8]) do
  local of, id, settled = s[1], s[2], s[4] ~= '' and prefix .. 's:' .. s[4]
  local again = settled and not aside(of, id) and call('EXISTS', settled) == 1
  if not again then
    if settled then
      unreserve(of, id)
      call('SET', settled, '', 'PX', twice)
    end
    call('HSET', prefix .. 'b:' .. of, 's', text(sum(account(of), amount(s[3]))))
  end
end

for _, w in ipairs(request[9]) do
  call('HSET', prefix .. 'v:' .. w[1], 'v', string.format('%.0f', w[2] + 1), 'd', w[3])
end
if request[5] ~= '' then
  call('DEL', prefix .. 'k:' .. request[5])
end
return done({ 0 })
