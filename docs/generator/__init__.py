"""Writes the pages, tables and pictures that come from the forms, the faults, the policies and the public names.

python -m docs.generator            # write them
python -m docs.generator --check    # exit 1 if one is not what the package gives
"""
