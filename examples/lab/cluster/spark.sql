-- The questions of examples/dump/queries.md in the SQL of Spark. A line with two hyphens is the heading there.
-- Spark sorts NULL first without NULLS LAST. floor(x * 10 + 0.5) / 10 rounds as DuckDB does.

-- Kills per weapon
SELECT weapon, count(*) AS kills FROM events WHERE event = 'kill' GROUP BY weapon ORDER BY weapon NULLS LAST;

-- Who killed whom
SELECT floor(time * 10 + 0.5) / 10 AS seconds, killer, victim, class, weapon
FROM events WHERE event IN ('kill', 'explode')
ORDER BY time, victim NULLS LAST, killer NULLS LAST, class NULLS LAST, weapon NULLS LAST;

-- Damage taken over time
SELECT 20 * floor(time / 20) AS seconds, player, sum(`from` - `to`) AS damage
FROM events WHERE event = 'damage' GROUP BY ALL ORDER BY seconds, player NULLS LAST;

-- Shots
SELECT player, weapon, count(*) AS shots, count(DISTINCT target) AS targets
FROM events WHERE event = 'fire' GROUP BY player, weapon
ORDER BY shots DESC, player NULLS LAST, weapon NULLS LAST LIMIT 8;

-- Chat
SELECT floor(time * 10 + 0.5) / 10 AS seconds, player, text FROM events WHERE event = 'chat' ORDER BY time, player NULLS LAST, text;

-- Heatmap
SELECT 100 * floor(x / 100) AS west, 100 * floor(y / 100) AS south, count(*) AS updates
FROM states GROUP BY ALL ORDER BY updates DESC, west, south LIMIT 8;

-- Average speed by class
SELECT class, floor(avg(speed) * 100 + 0.5) / 100 AS speed FROM states GROUP BY class ORDER BY class NULLS LAST;

-- Weakest hulls
SELECT player, class, min(hull) AS hull, min_by(floor(time * 10 + 0.5) / 10, struct(hull, time)) AS seconds
FROM states WHERE hull IS NOT NULL GROUP BY player, class ORDER BY player NULLS LAST, class NULLS LAST;

-- Traffic
SELECT link, direction, name, count(*) AS messages, sum(size) AS bytes
FROM messages WHERE link IS NOT NULL GROUP BY link, direction, name
ORDER BY bytes DESC, link, direction, name LIMIT 12;

-- Fields of a message
SELECT player, get_json_object(fields, '$.Species.name') AS species, count(*) AS ships
FROM messages
WHERE name = 'ObjectCreateTeam' AND direction = 'c2s' AND NOT duplicate AND get_json_object(fields, '$.OwnerSlot') = '2'
GROUP BY ALL ORDER BY player NULLS LAST, species;

-- Round-trip times
SELECT link, count(round_trip) AS acks, floor(min(round_trip) * 10 + 0.5) / 10 AS least,
  floor(median(round_trip) * 10 + 0.5) / 10 AS median, floor(max(round_trip) * 10 + 0.5) / 10 AS greatest
FROM messages WHERE name = 'Ack' AND direction = 'c2s' AND link IS NOT NULL
GROUP BY link ORDER BY link;

-- Loss and repetition
SELECT link, direction,
  count_if(NOT duplicate) AS reliable,
  count_if(duplicate) AS repeated,
  count_if(NOT duplicate AND ack IS NULL) AS unacknowledged
FROM (
  SELECT link, direction, reliable, duplicate, lead(ack_seq) OVER (
    PARTITION BY source, client, (direction = 'c2s') = reliable, channel, coalesce(seq, ack_seq), fragment, duplicate
    ORDER BY datagram, `index`) AS ack
  FROM messages WHERE reliable OR ack_seq IS NOT NULL
)
WHERE reliable AND link IS NOT NULL
GROUP BY link, direction ORDER BY link, direction;

-- A thousand files
SELECT source, match, count(*) AS events, count(DISTINCT player) AS players, count_if(event = 'kill') AS kills
FROM events GROUP BY source, match ORDER BY source, match;

-- A thousand files
SELECT source, killer, count(*) AS kills
FROM events WHERE event = 'kill' AND source IN ('battle', 'rejoins')
GROUP BY source, killer ORDER BY source, killer NULLS LAST;
