-- The limits of ship classes and weapons, for the queries of league.md. league.py reads them from stateupdate/ships.json.

CREATE VIEW speeds AS
SELECT ship->>'name' AS class, (ship->>'$.physics.maxSpeed')::DOUBLE AS fastest
FROM (SELECT unnest(ships::JSON[]) AS ship FROM read_json('ships.json', columns = {ships: 'JSON'}));

CREATE VIEW parts AS
SELECT class, (system->>'name') || ' / ' || (part->>'name') AS weapon, part->'$.physics.weapon' AS physics
FROM (
  SELECT class, system, unnest((system->'children')::JSON[]) AS part
  FROM (
    SELECT ship->>'name' AS class, unnest((ship->'subsystems')::JSON[]) AS system
    FROM (SELECT unnest(ships::JSON[]) AS ship FROM read_json('ships.json', columns = {ships: 'JSON'}))
  )
);

-- The most shots in a minute: loaded torpedoes and those that the tube reloads, or one pulse in each cooldown.
CREATE VIEW weapons AS
SELECT class, weapon, coalesce(
  (physics->>'maxReady')::DOUBLE + floor(60 / (physics->>'reloadDelay')::DOUBLE),
  1 + floor(60 / (physics->>'cooldown')::DOUBLE)) AS most
FROM parts
WHERE most IS NOT NULL;
