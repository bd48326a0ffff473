"""Ranks files by how many words of the issue stand in them."""

import json
import pathlib
import re
import sys

question = json.load(sys.stdin)  # case_id, issue, repo, commit, folder, k
words = {word for word in re.findall(r"\w+", question["issue"].lower()) if len(word) > 3}
folder = pathlib.Path(question["folder"])  # the files as they are at the commit
paths = sorted(path for path in folder.rglob("*") if path.is_file())
names = [path.relative_to(folder).as_posix() for path in paths]
texts = [path.read_text(encoding="utf-8").lower() for path in paths]
found = [sum(word in text for word in words) for text in texts]
order = sorted(range(len(names)), key=lambda n: (-found[n], names[n]))
print(json.dumps([names[n] for n in order[: question["k"]]]))
