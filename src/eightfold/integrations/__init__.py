"""Doors for other libraries, each a few lines over the verbs, imported only when used.

`eightfold.integrations.pydantic`, `eightfold.integrations.sqlalchemy`, `eightfold.integrations.logging` and
`eightfold.integrations.asgi`. The first two need the extra of their name; the others need nothing.
"""
