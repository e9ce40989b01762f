"""Drills: a training job is killed at chosen steps and started again, and must train on the same."""
