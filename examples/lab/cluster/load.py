"""Loads the tables of a directory into a ClickHouse server.

    python3 load.py DIR [--client 'clickhouse-client --host NAME'] [SERVER_DIR]

SERVER_DIR is the directory as the server sees it, if that is another name. It checks the version of the files first.
"""
import argparse, os, shlex, shutil, subprocess, sys

from ask import check_versions, here

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory"), options.add_argument("server", nargs="?")
    options.add_argument("--client", default="clickhouse-client")
    o = options.parse_args()
    directory = os.path.abspath(o.directory)
    check_versions(directory)
    if shutil.which(shlex.split(o.client)[0]) is None:
        sys.exit(f"load.py: no program {o.client}: give its command with --client")
    with open(os.path.join(here, "load.sql")) as statements:
        sys.exit(subprocess.run([*shlex.split(o.client), f"--param_dir={o.server or directory}", "--multiquery"], stdin=statements).returncode)

if __name__ == "__main__":
    main()
