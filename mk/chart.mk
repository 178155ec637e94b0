# mk/chart.mk: pictures.
