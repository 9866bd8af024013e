"""Measures convert.py on Spark against dump -jobs on the same machine, and on 1, 2 and 4 cores.

    python3 measure.py --sim PROGRAM --dump PROGRAM [--work DIR] [--minutes 30] [--players 0] [--few 200] [--many 1000] [--rounds 3]

It plays 40 distinct matches and links them under more names. The time for a file is the slope between few and
many files, so that the start of Spark does not count. Of each time, the least of the rounds counts.
"""
import argparse, os, shutil, subprocess, sys, tempfile, time

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

def seconds(command, out):
    """Runs a command that writes to a directory, which is new, and returns its time."""
    shutil.rmtree(out, ignore_errors=True)
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
    options.add_argument("--players", type=int, default=0, help="of a match; 0: the seed draws the number, up to 16")
    options.add_argument("--distinct", type=int, default=40)
    options.add_argument("--few", type=int, default=200), options.add_argument("--many", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--jobs", type=int, default=2, help="of dump, and cores of Spark beside it")
    options.add_argument("--cores", default="1,2,4", help="cores of Spark")
    o = options.parse_args()
    o.sim, o.dump = os.path.abspath(o.sim), os.path.abspath(o.dump)
    matches, out = os.path.join(o.work, "matches"), os.path.join(o.work, "out")
    os.makedirs(matches, exist_ok=True)
    for seed in range(1, o.distinct + 1):
        if not os.path.exists(os.path.join(matches, f"{seed}.jsonl")):
            # A violation is the business of the tests of sim. Its recording is a capture like others.
            subprocess.run([o.sim, "-seed", str(seed), "-minutes", str(o.minutes), "-players", str(o.players), "-record", o.work], stdout=subprocess.DEVNULL)
            os.rename(os.path.join(o.work, f"{seed}.jsonl"), os.path.join(matches, f"{seed}.jsonl"))
    cores = sorted({o.jobs, *map(int, o.cores.split(","))})
    dump = lambda count: [o.dump, "-jobs", str(o.jobs), "-parquet", out + "/"] + sorted(f.path for f in os.scandir(captures(o, count)))
    submit = os.path.join(os.path.dirname(sys.executable), "spark-submit")
    spark = lambda n, count: [submit, "--master", f"local[{n}]", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1", "--conf",
                              "spark.driver.bindAddress=127.0.0.1", os.path.join(here, "convert.py"), "--dump", o.dump, captures(o, count), out]
    times = {}
    for _ in range(o.rounds):  # all of them in each round, so that a busy minute does not hit one only
        for count in (o.few, o.many):
            for name, command in [("dump", dump(count))] + [(f"spark {n}", spark(n, count)) for n in cores]:
                times.setdefault((name, count), []).append(seconds(command, out))
                print(f"{name}, {count} files: {times[name, count][-1]:.1f} s", file=sys.stderr)
    size = sum(f.stat().st_size for f in os.scandir(captures(o, o.many)))
    written = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(out) for f in files)
    print(f"captures: {size / o.many / 1e6:.2f} MB each, tables: {written / o.many / 1e6:.3f} MB each")
    slopes = {}
    for name in ["dump"] + [f"spark {n}" for n in cores]:
        few, many = min(times[name, o.few]), min(times[name, o.many])
        slopes[name] = (many - few) / (o.many - o.few)
        print(f"{name}: {few:.1f} s for {o.few} files, {many:.1f} s for {o.many}, {1 / slopes[name]:.2f} files/s, start-up {few - slopes[name] * o.few:.1f} s")
    print(f"overhead of Spark with {o.jobs} cores: {slopes[f'spark {o.jobs}'] / slopes['dump']:.2f}")
    one = cores[0] * slopes[f"spark {cores[0]}"]  # seconds of a core for a file
    print(f"100,000 such files on 100 cores: {one * 1000 / 3600:.1f} h, if each core is as fast as with {cores[0]} here, "
          f"the storage gives {size / o.many / one / 1e4:.0f} MB/s and takes {written / o.many / 1e4:.0f} GB")

if __name__ == "__main__":
    main()
