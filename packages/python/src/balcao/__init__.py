"""The client of a Balcão gateway. Only for servers, because it contains the client secret."""
from .amounts import amount_text as amount_text
from .client import Balcao as Balcao, Finished as Finished, Listing as Listing
from .errors import ConnectionError as ConnectionError, Error as Error, FieldError as FieldError
from .notifications import Answer as Answer, Callback as Callback
from .notifications import answer_notification as answer_notification
from .notifications import verify_callback as verify_callback, verify_webhook as verify_webhook
from .stores import DbApiStore as DbApiStore, FinishedStore as FinishedStore
from .tokens import FileTokens as FileTokens, MemoryTokens as MemoryTokens, TokenCache as TokenCache
from .transports import Transport as Transport
from .transports import use_httpx as use_httpx, use_requests as use_requests, use_urllib as use_urllib
