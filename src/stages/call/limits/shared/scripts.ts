/**
 * Lua scripts, which Redis runs atomically. Keys have the run's name in braces, so that a cluster stores them together;
 * times are Redis', so clocks may differ. Unused keys expire.
 */

/** Time to live of keys, in ms: what was spent, and all others. */
const KEPT = 30 * 86_400_000
const IDLE = 86_400_000

const NOW = `
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * Join, or heartbeat.
 * KEYS members, stated, left. ARGV id, time to live in ms, limits in words, joining (1 or 0), then field and amount of
 * each budget. Returns the number of processes; -1 and the others' limits if these differ; -2 if Redis lost its record of
 * what was spent.
 */
export const JOIN = `${NOW}
local id, ttl, words, joining = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local stated = redis.call('GET', KEYS[2])
local others = redis.call('ZCARD', KEYS[1]) - (redis.call('ZSCORE', KEYS[1], id) and 1 or 0)
if joining and others > 0 and stated and stated ~= words then return {-1, stated} end
redis.call('ZADD', KEYS[1], now + ttl, id)
redis.call('SET', KEYS[2], words, 'PX', ${IDLE})
redis.call('PEXPIRE', KEYS[1], ${IDLE})
local lost = false
for i = 5, #ARGV, 2 do
  local field, most = ARGV[i], tonumber(ARGV[i + 1])
  local before = tonumber(redis.call('HGET', KEYS[3], field .. ' of'))
  if not before then
    if joining then redis.call('HSET', KEYS[3], field, ARGV[i + 1])
    else redis.call('HSET', KEYS[3], field, 0) lost = true end
    redis.call('HSET', KEYS[3], field .. ' of', ARGV[i + 1])
  elseif joining and before ~= most then
    redis.call('HINCRBY', KEYS[3], field, string.format('%.0f', most - before))
    redis.call('HSET', KEYS[3], field .. ' of', ARGV[i + 1])
  end
end
if #ARGV > 4 then redis.call('PEXPIRE', KEYS[3], ${KEPT}) end
if lost then return {-2, ''} end
return {others + 1, ''}
`

/**
 * Takes part of a budget. KEYS left. ARGV field, amount needed, number of parts into which the rest is divided.
 * Returns the amount taken, at least the one needed; 0 if less is left, -1 if the budget is unknown.
 */
export const TAKE = `
local left = tonumber(redis.call('HGET', KEYS[1], ARGV[1]))
if not left then return -1 end
local need = tonumber(ARGV[2])
if left < need then return 0 end
local taken = math.min(left, math.max(need, math.floor(left / tonumber(ARGV[3]))))
redis.call('HINCRBY', KEYS[1], ARGV[1], string.format('%.0f', -taken))
return taken
`

/** Returns part of a budget. KEYS left. ARGV field, amount (negative if more was spent than taken). */
export const GIVE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]) end
return 1
`

/**
 * Divides the calls in flight among the processes, and passes on pauses. The calls of a process that has not
 * reported for its time to live are free. A process with more than an even part gets no more while another has less than it
 * wants. After Redis lost its data, no process gets more than it had until all have had time to report.
 * KEYS held (calls by process), expiry, starved, total, signals. ARGV id, time to live in ms, most calls of all processes,
 * in flight, wanted, ms of pause to report (0: none), calls last granted (-1: none).
 * Returns calls granted, ms of pause left.
 */
export const SYNC = `${NOW}
local id, most, under, want = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('DECRBY', KEYS[4], redis.call('HGET', KEYS[1], gone) or 0)
  redis.call('HDEL', KEYS[1], gone)
  redis.call('ZREM', KEYS[2], gone)
  redis.call('SREM', KEYS[3], gone)
end
local known, had = redis.call('HGET', KEYS[1], id), tonumber(ARGV[7])
local before = tonumber(known or 0)
if not known and had >= 0 then redis.call('HSET', KEYS[5], 'forgot', now) end
local others = tonumber(redis.call('GET', KEYS[4]) or 0) - before
redis.call('ZADD', KEYS[2], now + ARGV[2], id)
redis.call('SREM', KEYS[3], id)
local even = math.max(1, math.floor(most / redis.call('ZCARD', KEYS[2])))
local may = math.max(0, math.min(want, math.max(most - others, math.min(even, before))))
if now < tonumber(redis.call('HGET', KEYS[5], 'forgot') or 0) + ARGV[2] / 2 then may = math.min(may, math.max(0, had)) end
if may > even and redis.call('SCARD', KEYS[3]) > 0 then may = even end
if may < want and may < even then redis.call('SADD', KEYS[3], id) end
local holds = math.max(may, under)
if want == 0 and under == 0 then
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
else redis.call('HSET', KEYS[1], id, holds) end
redis.call('SET', KEYS[4], others + holds)
if tonumber(ARGV[6]) > 0 then
  local until_ = tonumber(redis.call('HGET', KEYS[5], 'rest') or 0)
  redis.call('HSET', KEYS[5], 'rest', math.max(until_, now + ARGV[6]))
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${IDLE}) end
local rest = tonumber(redis.call('HGET', KEYS[5], 'rest') or 0)
return {may, math.max(0, rest - now)}
`
