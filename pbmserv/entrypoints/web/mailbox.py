"""`/mailbox`: what was sent, for whoever tries the server out on this machine."""

from pbmserv.entrypoints.web.site import Site, Ways


def ways(site: Site) -> Ways:
    """Nothing yet."""
    return {}


def forms(site: Site) -> Ways:
    """Nothing yet."""
    return {}
