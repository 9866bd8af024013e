"""Asks the questions of queries.md on several engines, over the same files, and prints the answers.

    python3 ask.py DIR [--engines duckdb,spark,clickhouse,tables] [--json]

DIR is what dump -parquet DIR/ or convert.py has written. The engine "tables" is ClickHouse with the tables
of load.sql; "clickhouse" reads the files.
"""
import argparse, json, os, re, sys, tempfile
try:
    from pyarrow import fs, parquet
except ModuleNotFoundError:
    sys.exit("ask.py: pyarrow is not installed: pip install -r " + os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.txt"))

here = os.path.dirname(os.path.abspath(__file__))
TABLES = ("events", "states", "messages")

def documented(name):
    """Returns the queries of a file: pairs of a heading and a statement. A heading can have several."""
    text = open(os.path.join(here, name), encoding="utf-8").read()
    if name.endswith(".sql"):
        return [(heading, sql.strip().rstrip(";")) for heading, sql in re.findall(r"(?m)^-- (.+)\n((?:(?!--).+\n)+)", text)]
    heading, queries = "", []  # of DuckDB: the views have the names of the tables
    for title, sql in re.findall(r"(?m)^## (.*)$|^```sql\n((?s:.*?))```$", text):
        heading = title or heading
        if sql and "parquet_kv_metadata" not in sql:
            sql = re.sub(r"'battle(\.\w+)?\.parquet'", lambda m: (m[1] or ".messages")[1:], sql)
            queries.append((heading, re.sub(r"'matches/table=(\w+)/[^']*'", r"\1", sql).strip().rstrip(";")))
    return queries

def check_versions(directory):
    """Ends the program if the files have different versions of the schema."""
    versions = {}
    for table in TABLES:
        for f in fs.LocalFileSystem().get_file_info(fs.FileSelector(f"{directory}/table={table}", recursive=True)):
            if f.is_file and f.path.endswith(".parquet"):
                metadata = parquet.read_metadata(f.path).metadata or {}
                versions.setdefault(metadata.get(b"bcwire.schema", b"?").decode(), f.path)
    if len(versions) > 1:
        files = ", ".join(f"{version} in {path}" for version, path in sorted(versions.items()))
        sys.exit(f"{os.path.basename(sys.argv[0])}: the files have different versions of the schema: {files}. Convert the captures again with one dump.")

def plain(row, narrow):
    """Returns the values of a row. Python has no 32-bit numbers: they get the digits that they have."""
    return [float(f"{v:.7g}") if short and v is not None else v for v, short in zip(row, narrow)]

def duckdb(directory):
    import duckdb
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for table in TABLES:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{directory}/table={table}/*/*/*.parquet', hive_partitioning = false)")
    for heading, sql in documented("../../dump/queries.md"):
        answer = connection.execute(sql)
        narrow = [c[1] == "FLOAT" for c in answer.description]
        yield heading, [c[0] for c in answer.description], [plain(row, narrow) for row in answer.fetchall()]

def spark(directory):
    from pyspark.sql import SparkSession
    session = SparkSession.builder.appName("ask").getOrCreate()
    for table in TABLES:
        folder = f"{directory}/table={table}"
        # Without a schema, Spark takes the types of source and match from the names of directories.
        schema = session.read.option("recursiveFileLookup", "true").parquet(folder).schema
        session.read.schema(schema).parquet(folder).createOrReplaceTempView(table)
    for heading, sql in documented("spark.sql"):
        answer = session.sql(sql)
        narrow = [f.dataType.typeName() == "float" for f in answer.schema]
        yield heading, answer.columns, [plain(row, narrow) for row in answer.collect()]
    session.stop()

def clickhouse(directory, load=False):
    from chdb.session import Session
    with tempfile.TemporaryDirectory() as home:
        session = Session(home)
        if load:
            session.query(f"SET param_dir = '{directory}'")
            for statement in open(os.path.join(here, "load.sql")).read().split(";\n\n"):
                session.query(statement)
        else:
            for table in TABLES:
                session.query(f"CREATE VIEW {table} AS SELECT * FROM file('{directory}/table={table}/*/*/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0")
        for heading, sql in documented("clickhouse.sql"):
            answer = json.loads(str(session.query(sql + " SETTINGS output_format_json_quote_64bit_integers = 0", "JSONCompact")))
            yield heading, [c["name"] for c in answer["meta"]], answer["data"]
        session.close()

ENGINES = {"duckdb": duckdb, "spark": spark, "clickhouse": clickhouse, "tables": lambda directory: clickhouse(directory, load=True)}

def rounded(value):
    return "NULL" if value is None else f"{value:.10g}" if isinstance(value, (int, float)) else str(value)

def show(answers):
    """Prints the answers of the first engine, and beside each query which engines give the same."""
    engines = list(answers)
    for i, (heading, columns, rows) in enumerate(answers[engines[0]]):
        texts = {engine: [[rounded(v) for v in row] for row in answers[engine][i][2]] for engine in engines}
        equal = [engine for engine in engines if texts[engine] == texts[engines[0]]]
        print(f"\n{heading}: {len(rows)} rows, equal: {', '.join(equal)}")
        for engine in engines:
            if engine == engines[0] or engine not in equal:
                lines = [columns] + texts[engine]
                widths = [max(len(line[c]) for line in lines) for c in range(len(columns))]
                for line in lines:
                    print(f"  {engine:<11}" + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory")
    options.add_argument("--engines", default=",".join(ENGINES))
    options.add_argument("--json", action="store_true", help="print a list of heading, columns and rows for each engine")
    o = options.parse_args()
    directory = os.path.abspath(o.directory)
    check_versions(directory)
    answers = {name: list(ENGINES[name](directory)) for name in o.engines.split(",")}
    if o.json:
        return print(json.dumps(answers, default=float))
    show(answers)

if __name__ == "__main__":
    main()
