"""The command line: one file for each verb, imported when the verb is used. Only here is printed."""
