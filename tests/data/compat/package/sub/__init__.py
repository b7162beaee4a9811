from ..names import ROWS as N_ROWS
