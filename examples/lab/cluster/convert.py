"""Converts captures to Parquet on Spark: spark-submit --files bin/dump convert.py INPUT OUTPUT. See README.md."""
import argparse, functools, hashlib, os, re, shutil, socket, subprocess, sys, tempfile, time, unicodedata
import pyarrow as pa
from pyarrow import fs, parquet
from pyspark import SparkFiles
from pyspark.sql import SparkSession

FILES = pa.schema([("source", "string"), ("file", "string"), ("bytes", "int64"), ("seconds", "float64"), ("host", "string"), ("error", "string")])

def folder(name):
    return fs.FileSystem.from_uri(name) if "://" in name else (fs.LocalFileSystem(), os.path.abspath(name))

def sources(names, taken):
    """Yields the source that dump makes of each name, and a file name for dump. Folders are parts of both."""
    for base in (name.replace("/", "_") for name in names):
        stem, extension = re.fullmatch(r"(?s)(.+?)((?:\.[\d.]*[^\d.][^.]*)?(?:\.gz)?)", base).groups()
        first = "".join(c if unicodedata.category(c)[0] in "LMN" or c in " -_.,+()" else "_" for c in stem)
        source = first = first.encode()[:200].decode(errors="ignore") + "_" * (first.lower() == "null")
        while source.lower() in taken:
            taken[first.lower()] += 1
            source = f"{first}-{taken[first.lower()]}"
        taken[source.lower()] = 1
        yield source, source + (extension if re.fullmatch(r"\.[a-z]\w{0,9}(\.gz)?", extension, re.A | re.I) else ".capture")

def publish(work, outfs, out, source):
    """Copies the tables of a source, and removes files of an earlier input. A repeated task writes the same bytes."""
    for table in os.listdir(work):
        fs.copy_files(f"{work}/{table}", f"{out}/{table}", source_filesystem=fs.LocalFileSystem(), destination_filesystem=outfs)
        for old in outfs.get_file_info(fs.FileSelector(f"{out}/{table}/source={source}", recursive=True)):
            if old.is_file and not os.path.exists(work + old.path[len(out):]):
                outfs.delete_file(old.path)

def tables(outfs, out, source):
    """Returns the files of a source in the output, below it, and their sizes."""
    selectors = [fs.FileSelector(f"{out}/table={table}/source={source}", recursive=True, allow_not_found=True) for table in ("events", "messages", "states")]
    return {f.path[len(out):]: f.size for selector in selectors for f in outfs.get_file_info(selector) if f.is_file}

def convert(files, indir, outdir, program):
    """Converts the files of a task, and yields a row and the written files of each. An error that is not the file's
    fails the task, and Spark repeats it. The names are absolute: an executor works in a directory of its own."""
    dump = shutil.which(SparkFiles.get(os.path.basename(program))) or shutil.which(program)
    if dump is None:
        raise FileNotFoundError(f"no {program} on {socket.gethostname()}: give its file to spark-submit --files, or install it in the PATH of executors")
    (infs, _), (outfs, out), remote = folder(indir), folder(outdir), "://" in outdir
    for source, name, path, size, modified in files:
        began, error, mark = time.time(), None, f"{out}/done/{source}"
        identity = f"{path!r} {size} {modified} {hashlib.sha256(open(dump, 'rb').read()).hexdigest()}".encode() if remote else b""
        if not remote or not outfs.get_file_info(mark).is_file or outfs.open_input_file(mark).read() != identity:
            with tempfile.TemporaryDirectory() as work, open(f"{work}/log", "w+b") as log:
                target, link = f"{work}/out" if remote else out, f"{work}/{name}"
                if "://" in indir:
                    fs.copy_files(path, link, source_filesystem=infs, destination_filesystem=fs.LocalFileSystem())
                os.utime(link, ns=(modified, modified)) if "://" in indir else os.symlink(path, link)
                status = subprocess.run([dump, "-jobs", "1", "-parquet", target + "/", link], stderr=log).returncode
                log.seek(0)
                text = log.read(2000).decode(errors="replace").replace(link, path).strip() or f"{program}: exit status {status}"
                if status == 130 or status and target in text:  # interrupted, or the output failed
                    raise OSError(f"{socket.gethostname()}: {text}")
                if remote:
                    publish(target, outfs, out, source)
                    outfs.create_dir(f"{out}/done", recursive=True)
                    with outfs.open_output_stream(mark) as stream:  # the mark comes last and shows that the files are complete
                        stream.write(b"" if status else identity)
                error = text if status else None
        yield dict(zip(FILES.names, (source, path, size, time.time() - began, socket.gethostname(), error))), tables(outfs, out, source)

def check(rows, outfs, out):
    """Yields the rows. A row gets an error if the files that its executor has written are not in the output here."""
    found = iter(outfs.get_file_info([out + name for _, written in rows for name in written]))
    for row, written in rows:
        here = [(f.is_file, f.size) for f in (next(found) for _ in written)]
        if row["error"] is None and (not written or here != [(True, size) for size in written.values()]):
            row["error"] = f"the tables are not in {out}: {row['host']} must see it under this name, too"
        yield row

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dump", default="dump", help="name or path of the program dump on the executors (default: %(default)s)")
    options.add_argument("input"), options.add_argument("output")
    o = options.parse_args()
    (infs, root), (outfs, out) = folder(o.input), folder(o.output)
    indir, outdir = (name if "://" in name else local for name, local in ((o.input, root), (o.output, out)))
    program = os.path.abspath(o.dump) if os.path.dirname(o.dump) else o.dump
    if (out + "/").startswith(root.rstrip("/") + "/"):
        sys.exit(f"convert.py: {o.output} is in {o.input}: choose a folder outside")
    found = sorted((f for f in infs.get_file_info(fs.FileSelector(root, recursive=True)) if f.is_file), key=lambda f: f.path)
    names = sources((f.path[len(root):].lstrip("/") for f in found), {})
    files = sorted(((*n, f.path, f.size, f.mtime_ns) for n, f in zip(names, found)), key=lambda f: -f[3])  # the largest first
    context = SparkSession.builder.appName("convert captures").getOrCreate().sparkContext
    slices = max(1, min(len(files), 10_000))
    tasks = context.parallelize([files[i::slices] for i in range(slices)], slices)
    rows = list(check(tasks.flatMap(functools.partial(convert, indir=indir, outdir=outdir, program=program)).collect(), outfs, out))
    outfs.create_dir(f"{out}/table=files", recursive=True)
    parquet.write_table(pa.Table.from_pylist(rows, FILES), f"{out}/table=files/run-{context.applicationId}.parquet", filesystem=outfs)
    failed = [f"{row['file']!r}: {row['error']}" for row in rows if row["error"]]
    print(f"{len(rows)} files, {len(failed)} failed; see {o.output}/table=files", *failed[:10], sep="\n", flush=True)
    sys.exit(1 if failed else 0)
