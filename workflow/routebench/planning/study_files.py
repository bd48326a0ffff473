"""Study files and ``config.yaml``: YAML that means one thing, and which of them is wrong."""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from routebench.errors import RoutebenchError

PREFIX = "config: "
MOST_VALUES = 100_000
MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice, of which YAML libraries keep the last in silence."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Returns the keys and values of a mapping."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: set[Hashable] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE:
                continue
            if (key.tag, key.value) in seen:
                raise yaml.composer.ComposerError(
                    None, None, f"key {key.value[:60]!r} stands twice", key.start_mark
                )
            seen.add((key.tag, key.value))
        return node


def read_yaml(file: Path) -> dict[str, Any]:
    """Returns the keys and values of a file.

    Raises:
        RoutebenchError: not to be read, not YAML, a key twice, or no keys and values.
    """
    try:
        with file.open(encoding="utf-8") as stream:
            values = yaml.load(stream, _Loader)
        count_values(values)
    except OSError as error:
        raise RoutebenchError(f"{file}: cannot be read ({error.strerror})") from error
    except RecursionError as error:
        raise RoutebenchError(f"{file}: not YAML (nested too deeply)") from error
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise RoutebenchError(f"{file}: not YAML ({reason})") from error
    if not isinstance(values, dict):
        raise RoutebenchError(f"{file}: expected keys and values, such as study: demo")
    return values


def count_values(value: Any, above: frozenset[int] = frozenset(), limit: int = MOST_VALUES) -> int:
    """Returns how many values there are, those behind an alias each time it is used.

    Raises:
        ValueError: over ``limit``, or a value holds itself.
    """
    if not isinstance(value, Mapping | list):
        return 1
    if id(value) in above:
        raise ValueError("a value that holds itself")
    count = 1
    for part in value.values() if isinstance(value, Mapping) else value:
        count += count_values(part, above | {id(value)}, limit - count)
        if count > limit:
            raise ValueError(f"over {MOST_VALUES:,} values")
    return count


def name_file(
    error: RoutebenchError, *, file: Path, values: Mapping[str, Any], replaced: tuple[str, ...]
) -> RoutebenchError:
    """Returns an error of a configuration with the file that the key stands in.

    Args:
        error: begins with ``config:`` and the path of a key.
        file: of the study.
        values: that the study file gives.
        replaced: sections that a study gives as a whole.
    """
    text = str(error)
    if not text.startswith(PREFIX):
        return error
    first, *rest = text.removeprefix(PREFIX).split(" ", 1)[0].rstrip(":").split(".")
    section = values.get(first)
    if isinstance(section, Mapping) and rest and first not in replaced:
        in_study = rest[0] in section
    else:
        in_study = first in values or None in values
    place = file if in_study else "config.yaml"
    return RoutebenchError(f"{place}: {text.removeprefix(PREFIX)}")
