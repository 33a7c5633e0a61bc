"""What a genotype becomes: derivations, random trees, and the way back from a text."""

from gramarye.derivations.derivation import NO_VALUES as NO_VALUES
from gramarye.derivations.derivation import Derivation as Derivation
from gramarye.derivations.derivation import Derivations as Derivations
from gramarye.derivations.derivation import only_whole as only_whole
from gramarye.derivations.derivation import sentential_forms as sentential_forms
from gramarye.kernels.codes import Status as Status
