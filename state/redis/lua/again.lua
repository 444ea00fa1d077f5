-- The counters of a claim, and what a claim that may have come before finds in
-- them: its own entry, if it was admitted without ado. If it was not, that it
-- was lost is not certain: it may yet come. So it leaves a mark for a while, and
-- what comes meanwhile is looked for by its name.

local counters = {}
for _, n in ipairs(request[7]) do
  local c = counters[n[1]]
  if not c then
    c = counter(n[1])
    counters[n[1]] = c
    if c.n > 0 and newest(c, 1) > now then -- the server's clock was set back
      now = newest(c, 1)
      call('SET', prefix .. 'time', string.format('%.0f', now))
    end
  end
end
if again == 1 then
  local admitted
  for _, c in pairs(counters) do
    admitted = c.head and entry(c, blob) or admitted
    await(c)
  end
  if admitted then
    return (unpack('>I8', admitted))
  end
end
