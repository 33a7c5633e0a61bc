"""Grammar priors: probabilities learned from finished runs, for later ones to start from."""

from gramarye.priors.learning import auto_shrinkage as auto_shrinkage
from gramarye.priors.learning import learn_prior as learn_prior
from gramarye.priors.starting import with_prior as with_prior
