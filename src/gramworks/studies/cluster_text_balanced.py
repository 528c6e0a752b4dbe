"""Figure 2 of Chapelle et al. (2002) with as many labelled documents of each group."""

from __future__ import annotations

from gramworks.studies import cluster_text

METRICS = cluster_text.METRICS
FIGURES = cluster_text.FIGURES
derive = cluster_text.derive
draw_figures = cluster_text.draw_figures
