-- Tables for a ClickHouse server. Each statement fills a table and then replaces the one before it.
-- The parameter dir is the directory that dump or convert.py has written, as the server sees it.
-- A bucket has the function s3 in place of file, and s3Cluster on a cluster of servers.

CREATE OR REPLACE TABLE events (
  source LowCardinality(String),
  match Int32 CODEC(T64, ZSTD),
  time Float64 CODEC(Gorilla, ZSTD),
  event LowCardinality(String),
  player LowCardinality(Nullable(String)),
  peer Nullable(Int32) CODEC(T64, ZSTD),
  slot Nullable(Int32) CODEC(T64, ZSTD),
  client LowCardinality(Nullable(String)),
  ship LowCardinality(Nullable(String)),
  class LowCardinality(Nullable(String)),
  text Nullable(String) CODEC(ZSTD),
  victim LowCardinality(Nullable(String)),
  killer LowCardinality(Nullable(String)),
  weapon LowCardinality(Nullable(String)),
  target LowCardinality(Nullable(String)),
  part LowCardinality(Nullable(String)),
  `from` Nullable(Int32) CODEC(T64, ZSTD),
  `to` Nullable(Int32) CODEC(T64, ZSTD),
  reason LowCardinality(Nullable(String)),
  kills Nullable(Int32) CODEC(T64, ZSTD),
  deaths Nullable(Int32) CODEC(T64, ZSTD),
  score Nullable(Int32) CODEC(T64, ZSTD)
) ENGINE = MergeTree ORDER BY (event, source, match, time)
AS SELECT * FROM file({dir:String} || '/table=events/*/*/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;

CREATE OR REPLACE TABLE states (
  source LowCardinality(String),
  match Int32 CODEC(T64, ZSTD),
  time Float64 CODEC(Gorilla, ZSTD),
  player LowCardinality(Nullable(String)),
  ship LowCardinality(String),
  class LowCardinality(Nullable(String)),
  x Float32 CODEC(Gorilla, ZSTD),
  y Float32 CODEC(Gorilla, ZSTD),
  z Float32 CODEC(Gorilla, ZSTD),
  speed Float32 CODEC(Gorilla, ZSTD),
  heading Float32 CODEC(Gorilla, ZSTD),
  hull Nullable(Float32) CODEC(ZSTD),
  shield_front Nullable(Float32) CODEC(ZSTD),
  shield_rear Nullable(Float32) CODEC(ZSTD),
  shield_top Nullable(Float32) CODEC(ZSTD),
  shield_bottom Nullable(Float32) CODEC(ZSTD),
  shield_left Nullable(Float32) CODEC(ZSTD),
  shield_right Nullable(Float32) CODEC(ZSTD),
  cloak Bool
) ENGINE = MergeTree ORDER BY (source, match, ship, time)
AS SELECT * FROM file({dir:String} || '/table=states/*/*/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;

CREATE OR REPLACE TABLE messages (
  source LowCardinality(String),
  match Int32 CODEC(T64, ZSTD),
  datagram Int64 CODEC(Delta, ZSTD),
  `index` Int32 CODEC(T64, ZSTD),
  time Float64 CODEC(Gorilla, ZSTD),
  direction LowCardinality(String),
  client LowCardinality(Nullable(String)),
  link LowCardinality(Nullable(String)),
  peer Nullable(Int32) CODEC(T64, ZSTD),
  player LowCardinality(Nullable(String)),
  slot Nullable(Int32) CODEC(T64, ZSTD),
  ship LowCardinality(Nullable(String)),
  type LowCardinality(Nullable(String)),
  opcode LowCardinality(Nullable(String)),
  name LowCardinality(Nullable(String)),
  channel LowCardinality(Nullable(String)),
  reliable Bool,
  seq Nullable(Int32) CODEC(T64, ZSTD),
  ack_seq Nullable(Int32) CODEC(T64, ZSTD),
  fragment Nullable(Int32) CODEC(T64, ZSTD),
  fragments Nullable(Int32) CODEC(T64, ZSTD),
  duplicate Bool,
  round_trip Nullable(Float64) CODEC(ZSTD),
  sends Nullable(Int32) CODEC(T64, ZSTD),
  acks Nullable(Int32) CODEC(T64, ZSTD),
  size Int32 CODEC(T64, ZSTD),
  object LowCardinality(Nullable(String)),
  part LowCardinality(Nullable(String)),
  class LowCardinality(Nullable(String)),
  owner LowCardinality(Nullable(String)),
  target LowCardinality(Nullable(String)),
  fields Nullable(String) CODEC(ZSTD(3)),
  bytes Nullable(String) CODEC(ZSTD),
  note LowCardinality(Nullable(String)),
  error LowCardinality(Nullable(String))
) ENGINE = MergeTree ORDER BY (name, source, match, time) SETTINGS allow_nullable_key = 1
AS SELECT * FROM file({dir:String} || '/table=messages/*/*/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;
