"""Where a job's model keeps its answers and counts its money."""

from dataclasses import dataclass
from pathlib import Path

from routebench.choice.budget import Budget, Limits
from routebench.choice.journal import Journal, Payer, model_folder
from routebench.choice.recorded import Provider, Recording


@dataclass(frozen=True, slots=True)
class Desk:
    """What a module of a kind needs, beside its parameters, to open a source of answers.

    Attributes are those of ``create_model``.
    """

    name: str
    answers: Path
    payer: Payer
    study_limits: Limits | None = None
    arm_limits: Limits | None = None
    keep_requests: bool = True

    def journal(self, model: str) -> Journal:
        """Returns the journal of the model of that name."""
        folder = model_folder(self.answers, model)
        return Journal(folder, self.payer, keep_requests=self.keep_requests)

    def recording(self, provider: Provider) -> Recording:
        """Returns a source that looks answers up before it asks the provider."""
        budget = Budget(self.answers, self.payer, study=self.study_limits, arm=self.arm_limits)
        return Recording(provider, self.journal(self.name), budget)
