from pathlib import Path

from routebench.files import write_text
from routebench.planning.jobs import logged
from routebench.verification.verify import check_differences, count_verdicts

with logged(snakemake.log):
    verdicts = Path(snakemake.input[0])
    check_differences(verdicts)
    write_text(Path(snakemake.output[0]), count_verdicts(verdicts))
