"""Integrations with other libraries, each a thin layer over the verbs, imported only when used.

`eightfold.integrations.pydantic`, `eightfold.integrations.sqlalchemy`, `eightfold.integrations.logging` and
`eightfold.integrations.asgi`. The first two need the extra of their name; the others need nothing.
"""
