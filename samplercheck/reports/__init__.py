"""Reports: a report in, text or a file out; one file for each form.

Called by the engine (the failure block) and the command line. Imports values, neither torch nor numpy.
"""
