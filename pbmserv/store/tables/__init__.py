"""The tables, for SQLAlchemy Core. `migrations/` creates them; a test shows that the two agree."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    false,
    text,
    true,
)

from pbmserv.store.tables.columns import RowId as RowId
from pbmserv.store.tables.columns import UtcDateTime as UtcDateTime
from pbmserv.store.tables.columns import metadata as metadata
from pbmserv.store.tables.mails import bounces as bounces
from pbmserv.store.tables.mails import content_keys as content_keys
from pbmserv.store.tables.mails import inbox as inbox
from pbmserv.store.tables.mails import letters as letters
from pbmserv.store.tables.mails import old_tokens as old_tokens
from pbmserv.store.tables.mails import outbox as outbox

# Players: accounts, addresses, settings, confirmations, and what rate limits count.

_IS_ROBOT = text("robot IS NOT NULL")
_HAS_OWNER = text("owner_digest IS NOT NULL")

players = Table(
    "players",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("userid", String(20), nullable=False),
    Column("userid_lower", String(20), nullable=False, unique=True),
    # The same for userids that look alike (`commands.vocabulary`); empty for deleted accounts.
    Column("skeleton", String(20), nullable=False, server_default=text("''"), index=True),
    Column("password_hash", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("html", Boolean, nullable=False, server_default=true()),
    Column("accessible_text", Boolean, nullable=False, server_default=false()),
    Column("takes_challenges", Boolean, nullable=False, server_default=true()),
    Column("broadcast", Boolean, nullable=False, server_default=false()),
    # Who may send them messages: "on" everybody, "known" people they have played with, "off" nobody.
    Column("messages", String(5), nullable=False, server_default="on"),
    # Whether moves by mail are acknowledged: "on" each, "daily" once a day, "off" never.
    Column("receipts", String(5), nullable=False, server_default="daily"),
    # How many of their first moves by mail were acknowledged.
    Column("moves_acknowledged", Integer, nullable=False, server_default=text("0")),
    # Which changes of boards with three or more players are mailed: "turns" when it is their turn, or "all".
    Column("board_mail", String(5), nullable=False, server_default="turns"),
    # Since when they get nothing but the ends of games; NULL if they get their mail.
    Column("mail_off_at", UtcDateTime),
    # When a play link was first used more than a day after its mail; NULL once the player was told.
    Column("late_link_at", UtcDateTime),
    # Which robot it is; NULL for people.
    Column("robot", String(20)),
    # When boards come in one mail ("daily 07:30"), and when the next one is due.
    Column("digest", String(20)),
    Column("digest_at", UtcDateTime, index=True),
    # When the next puzzle of the week is due; NULL if they want none.
    Column("puzzle_at", UtcDateTime, index=True),
    Column("banned_at", UtcDateTime),
    # The id of the newest mail in the outbox whose address and links are revoked; 0 if none is.
    Column("revoked_up_to", RowId, nullable=False, server_default=text("0")),
    # Several hosts that start together create each robot once. And robots are found without reading all players.
    Index("uq_players_robot", "robot", unique=True, sqlite_where=_IS_ROBOT, postgresql_where=_IS_ROBOT),
)

addresses = Table(
    "addresses",
    metadata,
    Column("address", String(320), primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("is_first", Boolean, nullable=False),
    Column("confirmed_at", UtcDateTime),
    Column("suspended_at", UtcDateTime),
    # When the last mail went there of those that say so.
    Column("last_mail_at", UtcDateTime),
    # When its player last showed that mail arrives there: what was sent before has not come back, whatever a
    # report says.
    Column("arrived_at", UtcDateTime),
)

blocks = Table(
    "blocks",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("blocked_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
)

# Addresses that a player has said are somebody else's: nobody asks again.
denied_addresses = Table(
    "denied_addresses",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("address_digest", String(40), primary_key=True),
)

confirmations = Table(
    "confirmations",
    metadata,
    # What mails in the outbox name it by that ask it.
    Column("id", String(40), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    # Where it was mailed, and from where it can be answered.
    Column("address", String(320), nullable=False),
    # A question may be asked again, each time as of then: one answer closes all about the same thing.
    Column("about", String(400), nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
)

# Addresses, and domains with an @ before them, whose mail has no effect and gets no answer.
bans = Table(
    "bans",
    metadata,
    Column("pattern", String(320), primary_key=True),
    Column("banned_at", UtcDateTime, nullable=False),
    # For the operator alone.
    Column("reason", Text, nullable=False),
)

# Whole days, in UTC, on which a player's clocks stop.
vacations = Table(
    "vacations",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date, nullable=False),
)

# When a player's clocks stop because their mail bounces.
standstills = Table(
    "standstills",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("began_at", UtcDateTime, nullable=False),
    Column("until_at", UtcDateTime, nullable=False),
    # When opponents were notified that the clocks run again although mail still bounces.
    Column("notified_at", UtcDateTime),
)

# What limits count (`commands.policy`). Digests alone: who it was, or what was said, is not stored.
counts = Table(
    "counts",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("name", String(80), nullable=False),
    # Of the address, userid or whatever it is counted by; empty where all counts are one.
    Column("of_digest", String(40), nullable=False),
    # Of the address that it can be released for; NULL if it cannot.
    Column("owner_digest", String(40)),
    Column("amount", BigInteger, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index("ix_counts_of_digest_name_at", "of_digest", "name", "at"),
    Index("ix_counts_owner_digest", "owner_digest", sqlite_where=_HAS_OWNER, postgresql_where=_HAS_OWNER),
)

# Matches with their logs, and what is stored beside them while they run.

_OVER = text("status <> 'active'")

matches = Table(
    "matches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(40), nullable=False),
    Column("rules", String(60), nullable=False),
    Column("options", JSON, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("started_by", RowId, ForeignKey("players.id"), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    # The time control in seconds; NULL if there is none.
    Column("clock", JSON(none_as_null=True)),
    # The board that it is a rematch of.
    Column("after", Integer, index=True),
    # A newcomer's first game against a robot: it is in no list and counts for nothing.
    Column("practice", Boolean, nullable=False, server_default=false()),
    # The rest is derived: written with the log, and rebuilt from it by `services.admin.check`.
    Column("status", String(10), nullable=False),
    Column("to_move", Integer),
    Column("plies", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("last_move", Text, nullable=False),
    CheckConstraint("number >= 101", name="numbers_start_at_101"),
    Index("ix_matches_status_last_at", "status", "last_at"),
    Index("ix_matches_status_number", "status", "number"),
    Index("ix_matches_game_number", "game", "number"),
    Index("ix_matches_last_at_number", "last_at", "number"),
    Index("ix_matches_game_last_at_number", "game", "last_at", "number"),
    Index("ix_matches_over", "last_at", "number", sqlite_where=_OVER, postgresql_where=_OVER),
    Index("ix_matches_game_over", "game", "last_at", "number", sqlite_where=_OVER, postgresql_where=_OVER),
    Index("ix_matches_game_status_last_at", "game", "status", "last_at"),
    Index("ix_matches_started_by_started_at", "started_by", "started_at"),
)

seats = Table(
    "seats",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    # Derived: when the match ended; NULL while it runs. It puts a player's boards in order.
    Column("ended_at", UtcDateTime),
    Index("ix_seats_player_id_match", "player_id", "match"),
    Index("ix_seats_player_id_ended_at_match", "player_id", "ended_at", "match"),
)

entries = Table(
    "entries",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("kind", String(20), nullable=False),
    # NULL if no seat did it.
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    # Seconds of the seat's time that it took.
    Column("used", Integer, nullable=False, server_default="0"),
)

# How far each player knows the log of a board; no row: up to their own last turn.
cursors = Table(
    "cursors",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # The number of the last entry that was told.
    Column("entry", Integer, nullable=False),
    # When they moved on a page, if that was their last move on a board with a robot.
    Column("on_page_at", UtcDateTime),
    Index("ix_cursors_player_id", "player_id"),
)

# As which rung the robot plays that picks the one that fits: from its first move on a board to the end.
robot_rungs = Table(
    "robot_rungs",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("rung", String(20), nullable=False),
)

# The board that each process of robots thinks about, and until when no other one does; then it may have died.
robot_claims = Table(
    "robot_claims",
    metadata,
    # A word that belongs to one living process (thread) of one host.
    Column("holder", String(80), primary_key=True),
    Column("match", Integer, ForeignKey("matches.number"), nullable=False, unique=True),
    Column("until_at", UtcDateTime, nullable=False),
)

# For each running board: whose turn it is, since when that player can know, and when to check the clock again.
clocks = Table(
    "clocks",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    # The number of the entry that began the turn, and the plies played by then.
    Column("turn", Integer, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False),
    # When the board was delivered; NULL until it was.
    Column("started_at", UtcDateTime),
    Column("next_at", UtcDateTime),
    Column("deadline_at", UtcDateTime),
    # Seconds that the turn may take; NULL if there is no limit.
    Column("lasts", Integer),
    Column("reminders", Integer, nullable=False),
    Index("ix_clocks_next_at", "next_at"),
    Index("ix_clocks_deadline_at_match", "deadline_at", "match"),
    Index("ix_clocks_player_id", "player_id"),
)

# Conditional moves, and moves that wait for confirmation. Only their player may see them.
conditional_moves = Table(
    "conditional_moves",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(10), primary_key=True),
    # The plies played when it was made, or when part of it was last played.
    Column("plies", Integer, nullable=False),
    Column("content", JSON, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
)

# Who watches other people's boards.
subscriptions = Table(
    "subscriptions",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Index("ix_subscriptions_player_id", "player_id"),
)

# What robots make of a board's positions, for teaching; it can be rebuilt from the log.
evaluations = Table(
    "evaluations",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    # `matches.last_at` and `plies` when all its positions were evaluated; NULL until they are.
    Column("evaluated_at", UtcDateTime),
    Column("plies", Integer),
    Column("content", LargeBinary, nullable=False),
)

# Analyses that are to be mailed once they are made.
analysis_requests = Table(
    "analysis_requests",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # Whether it is proven who has asked.
    Column("proven", Boolean, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False, index=True),
)

# Open offers and ratings.

_OPEN = text("status = 'open'")
_ESTABLISHED = text("sigma <= 6.25")
_PROVISIONAL = text("sigma > 6.25")

# Open offers of a game. People type `number`, which is reused after a while.
offers = Table(
    "offers",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("player_id", RowId, ForeignKey("players.id"), nullable=False, index=True),
    Column("game", String(40), nullable=False),
    Column("options", JSON, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("clock", JSON(none_as_null=True)),
    Column("seats", Integer, nullable=False),
    # Whether its maker moves last instead of first.
    Column("moves_last", Boolean, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("status", String(10), nullable=False),
    Column("match", Integer),
    # Two made at the same time cannot get one number: the later transaction retries.
    Index("uq_offers_open_number", "number", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
)

# Who has joined an offer that still needs players.
offer_players = Table(
    "offer_players",
    metadata,
    Column("offer_id", RowId, ForeignKey("offers.id"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
)

# Derived from the finished matches, in the order in which they ended. `services.admin.check` recomputes it.
ratings = Table(
    "ratings",
    metadata,
    # The name of a `matches.ratings.Pool`.
    Column("pool", String(40), primary_key=True),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    # The parts of the standings, each in its order.
    Index("ix_ratings_established", "pool", "mu", sqlite_where=_ESTABLISHED, postgresql_where=_ESTABLISHED),
    Index("ix_ratings_provisional", "pool", "counted", sqlite_where=_PROVISIONAL, postgresql_where=_PROVISIONAL),
    # Whose last match ended on a day. It begins with the time, so that no page of the standings takes it.
    Index("ix_ratings_last_at_pool", "last_at", "pool", "sigma"),
    Index("ix_ratings_player_id", "player_id"),
)

# Derived from `ratings`: of how many players the last match ended on a day (as an ordinal; 0: on any).
rating_counts = Table(
    "rating_counts",
    metadata,
    Column("pool", String(40), primary_key=True),
    Column("is_established", Boolean, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("players", Integer, nullable=False),
    sqlite_with_rowid=False,
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Column("pool", String(40), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    # Including this match: how many have counted, and how many of those were won.
    Column("counted", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Index("ix_rating_changes_pool_at_match", "pool", "at", "match"),
    Index("ix_rating_changes_player_id_at_match", "player_id", "at", "match"),
    Index("ix_rating_changes_player_id_pool_at_match", "player_id", "pool", "at", "match"),
)

# For each pool whose ratings are being recalculated: the match from which that is still to be done.
recounts = Table(
    "recounts",
    metadata,
    Column("pool", String(40), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("match", Integer, nullable=False),
)

# Puzzles that were found in finished games, how far these were looked through, and who has tried which puzzle.

# Nothing tells which board a puzzle is from, or who played there.
puzzles = Table(
    "puzzles",
    metadata,
    # Counted from 1; people type a higher number (`store.puzzles`).
    Column("id", RowId, primary_key=True),
    Column("game", String(40), nullable=False, index=True),
    Column("options", JSON, nullable=False),
    # The moves that lead to the position, in stored notation.
    Column("moves", JSON, nullable=False),
    Column("best", String(200), nullable=False),
    # How the game may go on after the best move.
    Column("line", JSON, nullable=False),
    # Each other move with the best answer to it.
    Column("replies", JSON, nullable=False),
    Column("wins", Boolean, nullable=False),
    Column("found_at", UtcDateTime, nullable=False),
)

puzzle_tries = Table(
    "puzzle_tries",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # Of a puzzle in `puzzles`, or of one that comes with the program.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sent_at", UtcDateTime, nullable=False),
    Column("by_week", Boolean, nullable=False),
    # How often they answered with a legal move until it was solved or shown.
    Column("tries", Integer, nullable=False),
    Column("solved_at", UtcDateTime),
    # When they asked for the solution, without having found it.
    Column("shown_at", UtcDateTime),
)

# One row: the finished match that is being looked through, and the ply that is next.
puzzle_search = Table(
    "puzzle_search",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # When that match ended.
    Column("at", UtcDateTime, nullable=False),
    Column("match", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
)

# Tables behind what the operator sees of a running server: heartbeats, outages, alarms and the like.

# When each part of the server was last alive.
heartbeats = Table(
    "heartbeats",
    metadata,
    Column("part", String(80), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)

# When parts were down without which nobody can answer: these times count on nobody's clock.
outages = Table(
    "outages",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("part", String(80), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Index("ix_outages_ended_at", "ended_at"),
)

# What keeps a part from its work at present, as it told last. No row: nothing does.
part_troubles = Table(
    "part_troubles",
    metadata,
    Column("part", String(80), primary_key=True),
    Column("said", Text, nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
)

# Findings that are not fine, as long as they last.
alarms = Table(
    "alarms",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("began_at", UtcDateTime, nullable=False),
    # When the log said so last.
    Column("said_at", UtcDateTime, nullable=False),
    # When the operator was mailed last. NULL as long as that was not worth a mail.
    Column("mailed_at", UtcDateTime),
)

# The last time that something was done, such as a backup.
milestones = Table(
    "milestones",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("said", Text, nullable=False),
)

# What `doctor` has mailed to itself, for a day. `digest` is of the one-time word in the mail's address.
doctor_mails = Table(
    "doctor_mails",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("sent_at", UtcDateTime, nullable=False),
    # When it came back; null: not yet.
    Column("came_at", UtcDateTime),
    # Whether a report came in its place.
    Column("is_report", Boolean, nullable=False),
    # The head of what came; of a report its reason.
    Column("head", LargeBinary),
)
