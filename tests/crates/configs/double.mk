double.heading  := doubled
double.features := double
