"""Play abstract board games by simply answering a mail.

The floors, from the ground up; imports go down only and siblings do not know each other:

    0  games            the rules, standard library only
    1  matches, robots  one contest as a log of entries, folded into a state; programs that play
    2  commands         what each command decides
    3  parser           the command language: from a mail's text to requests
    4  mail, rendering, store     bytes, templates, SQL
    5  services         one use case, one transaction each
    6  server           listener, poller, workers, sender, scheduler, robots
    7  web              the pages
    8  cli              commands, settings, wiring
"""
