-- What every script begins with.
--
-- All keys of a domain begin alike, with the domain as their hash tag, and so
-- are in one slot. Replies are integers unless said otherwise.
--
-- Numbers are doubles. Times and spans are in microseconds and less than 2^53,
-- so they are exact; amounts, which may be more, are added as two parts. How
-- long keys live is handed over as text, since large numbers may be written as
-- powers of ten.

local call, unpack = redis.call, struct.unpack
