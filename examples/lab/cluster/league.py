"""Answers the questions of league.md about the tables in a directory, and draws a picture of each answer.

    python3 league.py DIR [--pictures DIR] [--update]
"""
import argparse, os, re
import duckdb
import matplotlib

matplotlib.use("agg")  # no display
from matplotlib import pyplot
from ask import TABLES, check_versions, here

# The pictures of the last two questions show all ships and weapons, not only the candidates, up to 200 per cent.
SHARES = {
    "speed-above-the-class-s": "SELECT least(100 * max(speed) / fastest, 200) FROM states JOIN speeds USING (class) GROUP BY source, match, ship, fastest",
    "rate-of-fire-above-the-weapon-s": """
        SELECT least(100 * max(shots) / most, 200) FROM (
          SELECT *, count(*) OVER (PARTITION BY source, match, ship, weapon ORDER BY time RANGE BETWEEN 60 PRECEDING AND CURRENT ROW) AS shots
          FROM events WHERE event = 'fire') JOIN weapons USING (class, weapon) GROUP BY source, match, ship, weapon, most""",
}

def connect(directory):
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for table in TABLES:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{directory}/table={table}/*/*/*.parquet', hive_partitioning = false)")
    ships = os.path.join(here, "../../../stateupdate/ships.json")
    connection.execute(open(os.path.join(here, "limits.sql")).read().replace("'ships.json'", f"'{ships}'"))
    return connection

def text(columns, rows):
    lines = [columns] + [["NULL" if v is None else f"{v:.6g}" if isinstance(v, float) else str(v) for v in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n" for line in lines)

def draw(connection, name, columns, rows, file):
    figure, axes = pyplot.subplots(figsize=(5, 2.6), dpi=80, layout="constrained")
    if name in SHARES:
        axes.hist([share for share, in connection.execute(SHARES[name]).fetchall()], bins=25, color="#4477aa")
        axes.axvline(100, color="#cc3311")
        axes.set_xlabel("per cent of the limit"), axes.set_ylabel("ships" if "speed" in name else "weapons")
    else:
        value = columns.index("percent") if "percent" in columns else 1
        axes.barh([row[0] for row in rows][::-1], [row[value] for row in rows][::-1], color="#4477aa")
        axes.set_xlabel(columns[value] + {"ping": " (ms)"}.get(columns[value], ""))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(file, metadata={"Software": None})
    pyplot.close(figure)

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory")
    options.add_argument("--pictures", metavar="DIR", help="write the pictures there")
    options.add_argument("--update", action="store_true", help="write the answers to league.md")
    o = options.parse_args()
    check_versions(os.path.abspath(o.directory))
    connection, file = connect(os.path.abspath(o.directory)), os.path.join(here, "league.md")
    page = open(file, encoding="utf-8").read()
    for heading, query, old in re.findall(r"(?ms)^## ([^\n]*)$(?:(?!^## ).)*?(^```sql\n.*?^```\n\n)```\n(.*?)^```$", page):
        cursor = connection.execute(query.split("\n", 1)[1].split("```")[0])
        columns, rows = [c[0] for c in cursor.description], cursor.fetchall()
        print(f"## {heading}\n\n{text(columns, rows)}")
        page = page.replace(f"{query}```\n{old}```", f"{query}```\n{text(columns, rows)}```")
        if o.pictures:
            os.makedirs(o.pictures, exist_ok=True)
            name = re.sub(r"\W+", "-", heading.lower())
            draw(connection, name, columns, rows, os.path.join(o.pictures, name + ".png"))
    if o.update:
        open(file, "w", encoding="utf-8").write(page)

if __name__ == "__main__":
    main()
