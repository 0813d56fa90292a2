"""The explorer: one page that shows text in every form at once. Behind the extra ``web``; nothing else imports it.

:mod:`~eightfold.web.api` answers questions, dict in, dict out, with the functions in `answers`, and needs nothing but
the package itself, so it runs in Pyodide too; `server` serves it and the files in ``static/`` over HTTP; `worker` keeps
the work inside a time limit.
"""
