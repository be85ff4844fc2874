// Which code this is: Python writes a hash of all of it here (see `scripts` in __init__.py).

export const VERSION = 'version';
