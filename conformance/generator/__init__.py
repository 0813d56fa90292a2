"""Makes the vectors from the forms, by the reference: the only part of the kit that imports eightfold."""
