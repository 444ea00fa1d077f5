-- An undoing of a claim without identity, whose answer nobody has heard. The
-- request: the claim's name, how long that is remembered, the run, and of each
-- need the counter and whether it counts runs. The reply: 0.
--
-- A claim that was admitted gives its entries back. One that was not, or is yet
-- to come from where it was lost, finds that its name was answered: with what no
-- client takes for a grant.

local run, counters, admitted = request[3], {}, false
call('SET', prefix .. 'n:' .. request[1], cmsgpack.pack({ 2, 2 ^ 31 }), 'PX', request[2])
for _, n in ipairs(request[4]) do
  local c = counters[n[1]] or counter(n[1])
  counters[n[1]] = c
  local added = entry(c, request[1])
  if added then
    admitted = true
    local joins = n[2] == 1 and run ~= '' and prefix .. 'r:' .. n[1] .. run
    -- A run that other claims have joined, or that this one has joined, stays counted.
    if not joins or call('GET', joins) == '0' then
      if joins then
        call('DEL', joins)
      end
      cut(c, added)
    end
  end
end
if not admitted then
  for _, c in pairs(counters) do
    await(c)
  end
end
return { 0 }
