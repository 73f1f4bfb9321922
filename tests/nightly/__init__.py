"""All long checks to their ends, one after the other, and a report: `make nightly`.

    python -m tests.nightly [--minutes 180] [--share 0.01] [--only NAME ...] [--skip NAME ...] [--again]
                            [--keep] [--list]

Each check is a target of the Makefile (steps.py). What fails does not stop the others; a target that the Makefile lacks
is reported as missing, which is a failure. A check has passed if its program ended well *and* said what it has done, as
much as was asked for. What takes hours is done in parts of half an hour or less. At the end: a table with the time of
each and of all, and the exit status, 1 if anything is not as it should be.

Everything stays in the folder runs/nightly (with --share, in one of that share's in it): report.md, what each part of a
check printed, and state.json, each written whole after every part. The same command goes on with what is left, whatever
ended it; --again also repeats what failed. --minutes begins nothing more after that time, for machines that are free
for an evening. Ended by Ctrl-C or by SIGTERM it ends the part at hand, too, which SIGKILL does not let it do.

What came of a check holds for the files that it looks at (tree.py), whatever the commit: a change of a document leaves
what was done of the engine as it is, a change of a rule has all of it done again. If such files change while a check
runs, it stops.

--keep writes outcomes and report into the documents (docs/project/nightly.json and nightly.md), which go into the
repository with a release, and before it when another machine is to go on: where there is no runs/nightly/state.json, it
begins with the outcomes kept there.

--share does that share of every amount, to try it all, or as a weekly share on a slower machine. Checks without an
amount run in a small form then, which the table of STEPS names, or as they are.
"""
