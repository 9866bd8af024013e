"""Measures convert.py on Spark against dump -jobs on the same machine, and on 1, 2 and 4 cores. Prints a table for README.md.

    python3 measure.py --sim PROGRAM --dump PROGRAM [--work DIR] [--minutes 30] [--players 2] [--few 200] [--many 1000] [--scale 400] [--rounds 2]

It plays 40 distinct matches and links them under more names. The time for a file is the slope between few and
many files, so that the start of Spark does not count. Other numbers of cores have one round between few and scale
files. Of each time, the least of the rounds counts. The option --rounds 0 only plays the matches.
"""
import argparse, functools, json, os, shutil, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(__file__))

def captures(o, count):
    """Returns a directory with links to the matches."""
    directory = os.path.join(o.work, f"captures-{count}")
    os.makedirs(directory, exist_ok=True)
    for i in range(count):
        name = os.path.join(directory, f"{i:05}.jsonl")
        if not os.path.exists(name):
            os.link(os.path.join(o.work, "matches", f"{1 + i % o.distinct}.jsonl"), name)
    return directory

def length(name):
    """Returns the time of the last datagram of a match."""
    with open(name, "rb") as f:
        f.seek(max(0, os.path.getsize(name) - 100_000))
        return json.loads(f.read().splitlines()[-1])["t"]

def play(o):
    """Plays the matches that are missing. A match that ends early, after a violation, is replaced by that of another seed."""
    matches = os.path.join(o.work, "matches")
    os.makedirs(matches, exist_ok=True)
    for number in range(1, o.distinct + 1):
        name, seed = os.path.join(matches, f"{number}.jsonl"), number
        while not os.path.exists(name) or length(name) < 60 * o.minutes:
            subprocess.run([o.sim, "-seed", str(seed), "-minutes", str(o.minutes), "-players", str(o.players), "-record", o.work], stdout=subprocess.DEVNULL)
            os.rename(os.path.join(o.work, f"{seed}.jsonl"), name)
            seed += 1000

def seconds(command, out):
    """Runs a command that writes to a directory, which is new, and returns its time."""
    shutil.rmtree(out, ignore_errors=True)
    os.sync()  # what other runs have written
    with tempfile.TemporaryFile() as log:
        began = time.time()
        status = subprocess.run(command, stdout=log, stderr=log, env=os.environ | {"PYSPARK_PYTHON": sys.executable}).returncode
        took = time.time() - began
        if status != 0:
            log.seek(0)
            sys.exit(f"measure.py: {command[0]}: exit status {status}\n{log.read()[-5000:].decode(errors='replace')}")
    return took

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sim", required=True), options.add_argument("--dump", required=True)
    options.add_argument("--work", default="measure")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--players", type=int, default=2, help="of a match; 0: the seed draws the number, up to 16")
    options.add_argument("--distinct", type=int, default=40)
    options.add_argument("--few", type=int, default=200), options.add_argument("--many", type=int, default=1000)
    options.add_argument("--scale", type=int, default=400, help="files for other numbers of cores than --jobs")
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--jobs", type=int, default=2, help="of dump, and cores of Spark beside it")
    options.add_argument("--cores", default="1,2,4", help="cores of Spark")
    o = options.parse_args()
    o.sim, o.dump = os.path.abspath(o.sim), os.path.abspath(o.dump)
    out = os.path.join(o.work, "out")
    play(o)
    cores = sorted({o.jobs, *map(int, o.cores.split(","))})
    dump = lambda count: [o.dump, "-jobs", str(o.jobs), "-parquet", out + "/"] + sorted(f.path for f in os.scandir(captures(o, count)))
    submit = os.path.join(os.path.dirname(sys.executable), "spark-submit")
    spark = lambda n, count: [submit, "--master", f"local[{n}]", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1", "--conf",
                              "spark.driver.bindAddress=127.0.0.1", os.path.join(here, "convert.py"), "--dump", o.dump, captures(o, count), out]
    runs = []  # name, command and count of files
    for i in range(o.rounds):  # in one round dump comes first, in the next one Spark
        for count in (o.few, o.many):
            runs += [("dump", dump, count), (f"spark {o.jobs}", functools.partial(spark, o.jobs), count)][:: 1 if i % 2 == 0 else -1]
        runs += [(f"spark {n}", functools.partial(spark, n), count) for n in cores if n != o.jobs and i == 0 for count in (o.few, o.scale)]
    times, written = {}, {}
    for i, (name, command, count) in enumerate(runs):
        load = os.getloadavg()[0]
        times.setdefault(name, {}).setdefault(count, []).append(seconds(command(count), out))
        written[count] = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(out) for f in files)
        print(f"{i + 1}/{len(runs)}: {name}, {count} files: {times[name][count][-1]:.1f} s; load before: {load:.1f}", file=sys.stderr, flush=True)
    if runs:
        report(o, {name: {count: min(all) for count, all in of.items()} for name, of in times.items()}, written)

def report(o, times, written):
    size = sum(os.path.getsize(f) for f in os.scandir(captures(o, o.many))) / o.many
    tables, slopes = written[o.many] / o.many, {}
    print(f"Each match has {size / 1e6:.2f} MB, and its tables have {tables / 1e6:.2f} MB.\n")
    print("| Program | Files | Time | Files | Time | Files/s | Start-up |\n|---|---|---|---|---|---|---|")
    for name, of in sorted(times.items()):
        few, many = min(of), max(of)
        slopes[name] = (of[many] - of[few]) / (many - few)
        title = f"dump -jobs {o.jobs}" if name == "dump" else f"Spark, cores: {name.split()[1]}"
        print(f"| {title} | {few:,} | {of[few]:.1f} s | {many:,} | {of[many]:.1f} s | {1 / slopes[name]:.2f} | {of[few] - slopes[name] * few:.1f} s |")
    print(f"\nOverhead of Spark with {o.jobs} cores: {slopes[f'spark {o.jobs}'] / slopes['dump']:.2f}")
    cores = min(int(name.split()[1]) for name in slopes if name != "dump")
    one = cores * slopes[f"spark {cores}"]  # seconds of a core for a file
    print(f"100,000 such files on 100 cores: {one * 1000 / 3600:.2f} h, if each core is as fast as with {cores} here. "
          f"The storage then gives {size / one / 1e4:.0f} MB/s and takes {tables / 1e4:.0f} GB.")

if __name__ == "__main__":
    main()
