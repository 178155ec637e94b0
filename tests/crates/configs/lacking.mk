lacking.features := no-such-feature
