"""`seaspec mutate`: mutate.py the command, hunters.py who looks at the mutants, told.py what is said of them."""
