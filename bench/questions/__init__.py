"""Questions about real data sets, each with SQL and with an answer in plain Python."""
