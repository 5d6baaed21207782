"""Play abstract board games by simply answering a mail.

The floors, from the ground up; imports go down only and siblings do not know each other:

    0  games        the rules, standard library only
    1  matches      one contest as a log of entries, folded into a state
    2  commands     the command language and what each command decides
    3  mail, rendering, store     bytes, templates, SQL
    4  services     one use case, one transaction each
    5  entrypoints  processes and wiring
"""
