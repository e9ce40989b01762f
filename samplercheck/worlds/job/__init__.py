"""The ranks of a job that runs already, over any number of machines: how they meet, what each does."""
