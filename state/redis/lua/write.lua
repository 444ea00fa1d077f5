-- write writes a cell: { key, version, value, how long it lives or 0 }.
local function write(w)
  local key = prefix .. 'v:' .. w[1]
  if w[4] == 0 then
    call('DEL', key) -- or it would expire when the one before would have
    call('HSET', key, 'v', string.format('%.0f', w[2] + 1), 'd', w[3])
    return
  end
  call('HSET', key, 'v', string.format('%.0f', w[2] + 1), 'd', w[3], 'e', string.format('%.0f', now + w[4]))
  call('PEXPIRE', key, string.format('%.0f', math.ceil(w[4] / 1000) + forget))
end
