-- A settlement. The request: its name, how long that is remembered, forget, now,
-- the call, the leases' keys, their holder, amounts spent, cells, and those that
-- were seen. The reply: 0, or 1 and the cell that has moved on, of the former and
-- then the latter.

latest(request[4], KEYS[1])
for i, w in ipairs(request[9]) do
  local version = cell(w[1])
  if version ~= w[2] then
    return { 1, i - 1 }
  end
end
local moved = asSeen(request[10])
if moved > 0 then
  return { 1, #request[9] + moved - 1 }
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
  write(w)
end
if request[5] ~= '' then
  call('DEL', prefix .. 'k2:' .. request[5])
end
return done({ 0 })
