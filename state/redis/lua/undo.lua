-- An undoing of a claim without identity, whose answer nobody has heard. The
-- request: the claim's name, how long that is remembered, the run, and of each
-- need the counter and whether it counts runs. The reply: 0.
--
-- A claim that was admitted gives its entries back. One that was not, or is yet
-- to come from where it was lost, finds that its name was answered: with what no
-- client takes for a grant.

local name, run = prefix .. 'n:' .. request[1], request[3]
local told = call('GET', name)
call('SET', name, cmsgpack.pack({ 2, 2 ^ 31 }), 'PX', request[2])
local at = told and tonumber(told)
if told and not at then
  local reply = cmsgpack.unpack(told)
  at = reply[1] == 0 and reply[2] == 1 and reply[4]
end
if not at then
  return { 0 }
end
local seen = {}
for _, n in ipairs(request[4]) do
  local joins = n[2] == 1 and run ~= '' and prefix .. 'r:' .. n[1] .. run
  -- A run that other claims have joined, or that this one has joined, stays counted.
  if not seen[n[1]] and not (joins and call('GET', joins) ~= '0') then
    seen[n[1]] = true
    if joins then
      call('DEL', joins)
    end
    remove(counter(n[1]), at)
  end
end
return { 0 }
