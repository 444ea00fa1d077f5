-- The claims that are made most often: of counters only, which are quiet and none
-- of whose windows is full, by cells that are as they were seen. Any other is
-- left, untouched, to what follows.
-- It repeats in short what is said there at length, and is asked in bytes at
-- fixed places, because every name and table counts here. It notes no domain's
-- time for a claim of the server's time: that entries are in the order in which
-- they came is enough for these.
--
-- KEYS: the counters; the cells; for every counter of runs the run; the call, if
-- it has an identity; and the domain's time, if the claim brings its own or
-- there is no other. ARGV[1]: the name of the claim, 16 bytes; where the request
-- in MessagePack begins, for what follows; forget; its own time or 0; whether it
-- may have come before; how many counters, or 255 for a claim that is none of
-- these; how many cells; 1 if it is of a call, and 2 more if it brings its own
-- time; until when a head is good by the time of the claim's program. Then for
-- each counter the head it should have and how many windows, 128 more if it
-- counts runs, and for each its span and the rank of the entry that must have left
-- it, of which the first are always there; and for each cell its version and its
-- value, with their lengths.

local blob = ARGV[1]
local shape, till, mark, windows, span, rank, pos = unpack('>I4I8c18BI8I4', blob, 37)
local again, own, length = 0, 0
if shape == 65536 and windows == 1 and server < till then
  -- One counter with one window, by the server's time. It is added to first.
  length = call('LINSERT', KEYS[1], 'AFTER', mark, struct.pack('>I8c8', now, blob))
  if length > 0 and length < rank + 2 and length % 64 > 0 then
    return now
  end
end
