-- A claim. The request: its name, how long that is remembered, forget, now, the
-- run, whether it is refused, the needs; if it has an identity or there is more,
-- the call; if it is by cells that were seen, or there is more, these; and if it
-- asks for more than to be counted, the session, guards, leases, reservations and
-- cells.
--
-- The reply: the time only, if it was admitted for the first time and all its
-- needs are quiet; else what came of it, whether the call was admitted and repeated, the
-- time, the lease held by another and until when, the reservation over its cap;
-- for each need -1 if it is quiet, or 0 and for each of its windows the count
-- and the entry whose leaving makes room, or -1; for each guard whether its
-- approval is held. If a cell has moved on: that, which one, of those to be written
-- and then those that were seen, the time, and what the latter are, version and value.

local OK, CONFLICT, INVALID = 0, 1, 2
local run, refused, needs = request[5], request[6] == 1, request[7]
local id, expects, session, guards = request[8] or '', request[9] or {}, request[10], request[11] or {}
local leases, reserves, cells = request[12] or {}, request[13] or {}, request[14] or {}

-- The call, if it is in flight: when it was admitted, and what it has taken.
local CALL = { ADMITTED = 1, ENTRIES = 2, APPROVALS = 3, LEASES = 4, RESERVES = 5, CELLS = 6, NAME = 7 }
local before
if id ~= '' then
  local found = call('GET', prefix .. 'k2:' .. id)
  before = found and cmsgpack.unpack(found)
  if before and before[CALL.ADMITTED] + forget * 1000 <= now then
    before = nil
  end
  if before and before[CALL.NAME] == request[1] then
    return before[CALL.ADMITTED] -- this very request, come again
  end
end
local repeated = before and true or false

-- refuse is the reply of a claim that takes nothing. If it may have come before,
-- the first try may yet come, when there is room: it is told the same.
local function refuse(reply)
  return again == 1 and done(reply) or reply
end

-- has reports whether one of the lists in a list begins like another.
local function has(lists, what)
  for _, l in ipairs(lists) do
    local same = true
    for i = 1, #what do
      same = same and l[i] == what[i]
    end
    if same then
      return true
    end
  end
  return false
end

-- enteredRun reports whether it was a call that entered the run in a counter.
local function enteredRun(record, counter)
  for _, e in ipairs(record[CALL.ENTRIES]) do
    if e[1] == counter and e[2] == run then
      return true
    end
  end
  return false
end

-- conflict is the reply if a cell is not as the claim says.
local function conflict(i)
  local reply = { CONFLICT, i - 1, now }
  for _, e in ipairs(expects) do
    reply[#reply + 1], reply[#reply + 2] = cell(e[1])
  end
  return refuse(reply)
end

-- Cells that have moved on. What the call itself wrote has not: the caller
-- could not know.
for i, w in ipairs(cells) do
  local version = cell(w[1])
  if version ~= w[2] then
    local own = before and has(before[CALL.CELLS], { w[1], version }) and string.format('%.0f', w[2] + 1) == version
    if not own then
      return conflict(i)
    end
  end
end
local moved = asSeen(expects)
if moved > 0 then
  return conflict(#cells + moved)
end

-- Needs: each is { counter, whether it counts runs, windows, front, past }, of
-- which those at the end may be missing, and a window three numbers of a flat
-- list: span, limit, whether it refuses. Without a front all windows are looked at.
local reply = { OK, 0, repeated and 1 or 0, now, -1, 0, -1 }
local sights, counts = {}, {}
for i, n in ipairs(needs) do
  local c = counters[n[1]]
  local s = { counter = c, add = 1, past = n[5] }
  sights[i] = s
  if n[2] == 1 and run ~= '' then
    s.run = prefix .. 'r:' .. n[1] .. run
    s.joined = call('GET', s.run)
    if s.joined then
      s.add = 0
    end
  elseif before and has(before[CALL.ENTRIES], { n[1] }) then
    s.add = 0
  end
  local windows, front = n[3], n[4] or {}
  for w = 1, #windows, 3 do
    if windows[w] > c.ask then
      c.ask = windows[w]
    end
  end

  local function later(time) -- of the past, which is ascending
    local k = 0
    for p = #s.past, 1, -1 do
      if s.past[p] <= time then
        break
      end
      k = k + 1
    end
    return k
  end
  if s.past then
    s.beyond = later(now) -- yet to come
  end
  local function inside(cut)
    local k = s.add + after(c, cut)
    if s.past then
      k = k + later(cut) - s.beyond
    end
    return k
  end
  local function exceeded(w)
    local span, limit = windows[w], windows[w + 1]
    if s.past then
      return inside(now - span) > limit
    end
    local rank = limit + 1 - s.add
    return rank == 0 or rank <= c.n and newest(c, rank) > now - span
  end
  local loud = false
  if #front == 0 then
    for w = 1, #windows, 3 do
      loud = loud or exceeded(w)
    end
  end
  for _, f in ipairs(front) do
    loud = loud or exceeded(3 * f + 1)
  end

  if not loud then
    reply[#reply + 1] = -1
  else
    reply[#reply + 1] = 0
    -- room returns the k-th newest of the entries and the past together: of
    -- these p are past ones, the least p for which the rest of the entries is
    -- not later than what was taken of the past.
    local function room(k)
      local past = s.past and #s.past - s.beyond or 0
      local p, most = 0, math.min(k, past)
      while p < most do
        local try = math.floor((p + most) / 2)
        local taken = k - try
        if taken <= c.n and (taken == 0 or newest(c, taken) >= s.past[past - try]) then
          most = try
        else
          p = try + 1
        end
      end
      local at = p > 0 and s.past[past - p + 1] or math.huge
      return k > p and math.min(at, newest(c, k - p)) or at
    end
    for w = 1, #windows, 3 do
      local span, limit = windows[w], windows[w + 1]
      local count, at = inside(now - span), -1
      counts[(i - 1) .. ' ' .. (w - 1) / 3] = count > limit
      if count > limit then
        refused = refused or windows[w + 2] == 1
        local rank = limit + 1 - s.add
        if rank > 0 then
          at = room(rank)
        end
      end
      reply[#reply + 1] = count
      reply[#reply + 1] = at
    end
  end
end

-- Guards: each is { approval, need, window, need, window … }. One fires if all
-- its windows are exceeded.
local approvals = prefix .. 'a:' .. (session or '')
local held, fires = {}, {}
for i, g in ipairs(guards) do
  fires[i] = true
  for w = 2, #g, 2 do
    fires[i] = fires[i] and counts[g[w] .. ' ' .. g[w + 1]] or false
  end
  local approved = false
  if g[1] ~= '' then
    approved = before and has(before[CALL.APPROVALS], { g[1] })
    if not approved then
      local found = call('HGET', approvals, g[1])
      local a = found and cmsgpack.unpack(found)
      held[i] = a and (a[2] == 0 or a[2] > now) and a
      approved = held[i]
    end
  end
  reply[#reply + 1] = approved and 1 or 0
  refused = refused or fires[i] and not approved
end

-- Reservations: each is { account, id, amount, cap }, the sum counted with
-- those before it.
local totals = {}
for i, r in ipairs(reserves) do
  local t = totals[r[1]]
  if not t then
    t = { account(r[1]) }
    totals[r[1]] = t
  end
  t[2] = plus(minus(t[2], aside(r[1], r[2]) or ZERO), amount(r[3]))
  if more(t[2], MOST) then
    return refuse({ INVALID, i - 1 })
  end
  if r[4] ~= '' and more(sum(t[1], t[2]), amount(r[4])) then
    reply[7] = i - 1
    break
  end
end

-- Leases: each is { key, holder, how long, from when on }.
for i, l in ipairs(leases) do
  if l[4] > now then
    reply[5], reply[6] = i - 1, l[4]
    break
  end
  local ends, by = lease(l[1])
  if ends > now and by ~= l[2] then
    reply[5], reply[6] = i - 1, ends
    break
  end
end

if refused or reply[5] >= 0 or reply[7] >= 0 then
  for _, c in pairs(counters) do
    if c.head and c.ask > c.longest then
      keep(c)
    end
  end
  return refuse(reply)
end

-- Everything is taken: nothing from here on can fail.
reply[2] = 1
local record = before
if id ~= '' and not record then
  record = { now, {}, {}, {}, {}, {} }
end

for _, s in ipairs(sights) do
  local c = s.counter
  if s.add == 1 then
    if not c.entered then
      c.entered = true
      enter(c)
      if s.run then
        call('SET', s.run, '0', 'PX', twice)
      end
      if record then
        table.insert(record[CALL.ENTRIES], { c.id, s.run and run or '', pack('>I8c8', now, request[1]) })
      end
    end
  else
    if s.run then
      -- A run is one of which this call is a part, too.
      if s.joined == '0' and not (before and enteredRun(before, c.id)) then
        call('SET', s.run, '1', 'PX', twice)
      elseif call('PTTL', s.run) < forget then
        call('PEXPIRE', s.run, twice)
      end
    end
    if c.head and c.ask > c.longest then
      keep(c)
    end
  end
end

for i, g in ipairs(guards) do
  local a = held[i]
  if a then
    if fires[i] and a[1] == 0 then
      if call('HDEL', approvals, g[1]) == 1 and record then
        table.insert(record[CALL.APPROVALS], { g[1] })
      end
    elseif call('PTTL', approvals) < forget then
      call('PEXPIRE', approvals, twice)
    end
  end
end

for _, l in ipairs(leases) do
  local ends = repeated and lease(l[1]) or 0
  if ends <= now then
    call('SET', prefix .. 'l:' .. l[1], cmsgpack.pack({ now + l[3], l[2] }), 'PX', string.format('%.0f', math.ceil(l[3] / 1000) + forget))
  end
  if record and not has(record[CALL.LEASES], { l[1], l[2] }) then
    table.insert(record[CALL.LEASES], { l[1], l[2] })
  end
end

for _, r in ipairs(reserves) do
  call('HSET', prefix .. 'b:' .. r[1], 'r', text(totals[r[1]][2]), 'i' .. r[2], r[3])
  if record and not has(record[CALL.RESERVES], { r[1], r[2] }) then
    table.insert(record[CALL.RESERVES], { r[1], r[2] })
  end
end

for _, w in ipairs(cells) do
  if not (record and has(record[CALL.CELLS], { w[1] })) then
    write(w)
    if record then
      table.insert(record[CALL.CELLS], { w[1], string.format('%.0f', w[2] + 1) })
    end
  end
end

if before then
  call('SET', prefix .. 'k2:' .. id, cmsgpack.pack(record), 'KEEPTTL')
elseif record then
  call('SET', prefix .. 'k2:' .. id, cmsgpack.pack(record), 'PX', request[3])
end
return done(reply)
