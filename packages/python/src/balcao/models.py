"""The models of the API. Amounts are decimal text in answers: `'1500.00'`."""
# Generated from /openapi.json by `npm run client`: do not edit by hand.

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: An amount in a request: decimal text, `Decimal`, or a number.
Amount = Union[str, Decimal, int, float]


class _TokenRequest(TypedDict):
    grant_type: Literal['client_credentials', 'password', 'refresh_token', 'urn:balcao:params:oauth:grant-type:mfa-otp']


class TokenRequest(_TokenRequest, total=False):
    # `web` is the platform’s own client, without secret, for people
    client_id: str
    client_secret: str
    # Scopes separated by spaces. Absent: all allowed scopes
    scope: str
    # With `password`: the e-mail address
    username: str
    password: str
    # `password` with `web`: the merchant. Absent: the oldest access
    merchant_id: str
    refresh_token: str
    mfa_token: str
    # A code of the authenticator, or a recovery code
    otp: str



class _RevokeRequest(TypedDict):
    token: str


class RevokeRequest(_RevokeRequest, total=False):
    token_type_hint: str
    client_id: str
    client_secret: str



class _GpoCreation(TypedDict):
    # Major units, 0.01 to 10000000
    amount: Amount
    # Three capital letters, such as `AOA`
    currency: str
    paymentType: Literal['GPO']
    # 1 to 15 characters: unaccented letters, digits and `. _ / -`, with spaces only between them
    reference: str


class GpoCreation(_GpoCreation, total=False):
    # At most 4000 characters
    description: Optional[str]
    metadata: Optional[GpoCreationMetadata]



class _PprCreation(TypedDict):
    # Three capital letters, such as `AOA`
    currency: str
    paymentType: Literal['PPR']


class PprCreation(_PprCreation, total=False):
    # Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the payer choose
    amount: Optional[Amount]
    # 9 to 15 digits; absent or empty: 9 digits are generated
    reference: Optional[str]
    # At most 4000 characters
    description: Optional[str]
    metadata: Optional[PprCreationMetadata]



class BankMapping(TypedDict, total=False):
    # Default: the sign that separates most lines of the file
    separator: Literal["\t", ';', ',', '|']
    # If set, amounts with another decimal sign are refused
    decimal: Literal[',', '.']
    # Number of the column, from 1, or its heading
    date: Union[int, str]
    # Unused if `debit` or `credit` is set
    amount: Union[int, str]
    description: Union[int, str]
    # Column of debits, if they have their own
    debit: Union[int, str]
    credit: Union[int, str]



class ReferenceCallback(TypedDict):
    # The rail’s id of the transaction
    idTransacao: str
    # The rail’s number of the transaction
    numLogSistema: Optional[str]
    # The clearing period of the transaction
    idLogSistema: Optional[str]
    # When the payer paid
    dataTransaccaoCliente: str
    # The paid amount in major units. Compare it with the amount that you requested
    montantePago: Amount
    # The channel: `ATM`, `POS`, `IB` (internet banking), `MB` (the app)
    tipoTerminal: Optional[str]
    iIdentTerminal: Optional[str]
    localidadeTerminal: Optional[str]
    # The reference, with leading zeros
    refPagamento: str
    # The permanent id of the transaction: `transactions[].id` of the payment
    Id: str
    # The payer’s account, if the rail reports it
    nib: Optional[str]
    # The payer’s bank, if the rail reports it
    banco: Optional[str]
    paymentMethod: Literal['reference']
    # The payer’s document number, mostly the tax number (NIF), from the payment request or from the payer
    documentNumber: Optional[str]



class QrCallback(TypedDict):
    # When the payer scanned the code
    creationDate: str
    # When the rail accepted the scan
    updatedDate: str
    # The rail’s permanent id of the transaction
    id: str
    # The paid amount in major units
    amount: Amount
    clearingPeriod: Optional[str]
    transactionNumber: Optional[str]
    # No callback is sent for a refused scan
    status: Literal['ACCEPTED']
    transactionType: Optional[str]
    orderOrigin: Optional[str]
    currency: str
    # The payment’s `reference`, from your request
    merchantReferenceNumber: str
    paymentMethod: Literal['qrcode']
    # The payer’s document number, mostly the tax number (NIF), from the payment request or from the payer
    documentNumber: Optional[str]



class PaymentEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['payment.created', 'payment.processing', 'payment.authorized', 'payment.captured', 'payment.paid', 'payment.failed', 'payment.canceled', 'payment.expired', 'payment.attempt_failed', 'payment.failed_over', 'payment.transaction_accepted', 'payment.amount_mismatch', 'payment.overpaid', 'payment.resolved', 'payment.stuck']
    occurredAt: str
    paymentId: str
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The payment’s details right after the event, with its newest 20 transactions. null: the event concerns no
    # payment. Two parts show the current state instead: the payment of `callback.*` events, and the fields
    # `referenceStatus` and `registeredAt`.
    data: Payment



class RefundEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['refund.created', 'refund.processing', 'refund.succeeded', 'refund.failed', 'refund.canceled', 'refund.stuck', 'refund.excess']
    occurredAt: str
    paymentId: str
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The payment’s details right after the event, with its newest 20 transactions. null: the event concerns no
    # payment. Two parts show the current state instead: the payment of `callback.*` events, and the fields
    # `referenceStatus` and `registeredAt`.
    data: Payment



class ReferenceEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['reference.registered', 'reference.registration_failed', 'reference.paid', 'reference.canceled', 'reference.expired', 'reference.withdrawn', 'reference.withdrawal_failed', 'reference.unknown_paid']
    occurredAt: str
    paymentId: Optional[str]
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The payment’s details right after the event, with its newest 20 transactions. null: the event concerns no
    # payment. Two parts show the current state instead: the payment of `callback.*` events, and the fields
    # `referenceStatus` and `registeredAt`.
    data: Optional[Payment]



class LinkEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['link.created', 'link.changed', 'link.withdrawn', 'link.sold_out', 'link.oversold']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class TerminalEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['terminal.opening', 'terminal.open', 'terminal.closing', 'terminal.closed', 'terminal.stuck']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class CallbackEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['callback.delivered', 'callback.failed', 'callback.abandoned', 'callback.endpoint_failing', 'callback.endpoint_recovered']
    occurredAt: str
    paymentId: Optional[str]
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The payment’s details right after the event, with its newest 20 transactions. null: the event concerns no
    # payment. Two parts show the current state instead: the payment of `callback.*` events, and the fields
    # `referenceStatus` and `registeredAt`.
    data: Optional[Payment]



class WebhookEndpointEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['webhook.endpoint_failing', 'webhook.endpoint_recovered', 'webhook.test']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class AccessEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['access.granted', 'access.changed', 'access.revoked']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class ClientEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['client.created', 'client.rotated', 'client.revoked']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class InvoiceEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['invoice.issued', 'invoice.certified', 'invoice.credited']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class SmsEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['sms.balance_low']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class SettlementEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    type: Literal['settlement.difference']
    occurredAt: str
    paymentId: None
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The event concerns no payment
    data: None



class _TokenAnswer(TypedDict):
    access_token: str
    token_type: Literal['Bearer']
    expires_in: int
    scope: str
    # The merchant of the token. Null for a person without a merchant
    merchant_id: Optional[str]


class TokenAnswer(_TokenAnswer, total=False):
    # People only: gets the next access token; works once
    refresh_token: str



class _OAuthError(TypedDict):
    error: str
    error_description: str


class OAuthError(_OAuthError, total=False):
    # With `mfa_required`: send it with the code
    mfa_token: str
    # With `mfa_required`: lifetime of mfa_token in seconds
    expires_in: int



class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: Literal['link_invalid', 'user_required', 'role_not_grantable', 'last_owner', 'too_many_clients', 'too_many_members', 'too_many_merchants', 'mfa_enabled', 'mfa_not_enrolled', 'client_not_grantable', 'too_many_failures', 'insufficient_sms_balance', 'sms_unavailable', 'schedule_not_cancelable', 'opt_out_theirs', 'recipient_opted_out', 'sms_list_full', 'callback_not_configured', 'endpoint_not_configured', 'too_many_webhooks', 'capture_exceeds_authorization', 'payment_not_paid', 'nothing_to_refund', 'refund_unsupported', 'refund_in_progress', 'refund_not_cancelable', 'refund_exceeds', 'refund_whole_only', 'transaction_required', 'nothing_to_resolve', 'cashier_limit', 'period_open', 'bank_file_known', 'bank_line_unclear', 'credit_not_reversible', 'no_difference', 'difference_changed', 'link_changed', 'link_withdrawn', 'too_many_articles', 'article_name_taken', 'shift_closed', 'cash_not_taken', 'receipt_unavailable', 'too_many_receipts', 'malformed_json', 'nesting_too_deep', 'validation_failed', 'invalid_text', 'custom_metadata_not_allowed', 'amount_precision', 'amount_out_of_range', 'rail_account_in_use', 'too_many_rail_accounts', 'method_not_supported', 'payment_method_unavailable', 'gpo_id_not_assigned', 'gpo_id_required', 'origin_not_registered', 'currency_not_supported', 'invalid_reference', 'reference_in_use', 'entity_not_assigned', 'authorization_not_found', 'url_not_allowed', 'cursor_invalid', 'supervisor_required', 'prefetch_refused', 'idempotency_key_invalid', 'invalid_token', 'insufficient_scope', 'supervisor_refused', 'not_found', 'method_not_allowed', 'reference_in_flight', 'idempotency_in_progress', 'state_conflict', 'payment_not_payable', 'payment_in_progress', 'payment_not_replaceable', 'authorization_busy', 'authorization_not_capturable', 'payment_not_cancelable', 'reference_not_cancelable', 'terminal_closed', 'terminal_busy', 'reference_not_offered', 'payment_replaced', 'attempts_exhausted', 'precondition_failed', 'body_too_large', 'too_many_references', 'unsupported_media_type', 'idempotency_key_reused', 'too_many_requests', 'too_many_exports', 'too_many_erasures', 'too_many_pushes', 'internal_error', 'references_exhausted', 'rail_unavailable', 'service_unavailable']


class Problem(_Problem, total=False):
    """An RFC 9457 problem. `code` is stable. `errors` names every wrong field by its JSON pointer."""

    errors: List[FieldFault]
    # With `reference_in_flight`: the payment that has the reference
    internalId: str
    # With `link_changed`: the current link
    current: Dict[str, Any]
    # With `payment_replaced`: the payment that replaces this one
    replacedBy: str
    # With `rail_account_in_use`: the number of open orders of the account
    open: int
    # With `cashier_limit`: the amount that a cashier may refund a day
    limit: str
    # With `cashier_limit`: the amount that this cashier has refunded today
    given: str
    # With `cashier_limit`: the currency of both amounts
    currency: str
    # With `insufficient_sms_balance`: the available units
    saldoAtual: int
    # With `insufficient_sms_balance`: the required units
    unidades: int
    # With `bank_line_unclear`: the matching lines of the file
    lines: List[MatchingBankLine]



class Message(TypedDict):
    message: str



class Profile(TypedDict):
    id: str
    email: str
    firstName: str
    lastName: str
    # E.164
    phoneNumber: Optional[str]
    language: Literal['pt', 'en', 'fr']
    # Groups of notifications by mail. null: money and access for Owner and Administrator, else none
    noticeMail: Optional[List[Literal['money', 'access', 'connections']]]
    emailVerifiedAt: Optional[str]
    mfaEnabled: bool
    recoveryCodesLeft: int
    createdAt: str
    # Merchants that the person has access to, oldest access first
    merchants: List[ProfileMerchant]



class Session(TypedDict):
    id: str
    # `web`, `console` (a browser), or the API client of the sign-in
    clientId: str
    merchantId: Optional[str]
    # IP address of the last use
    address: Optional[str]
    userAgent: Optional[str]
    createdAt: str
    # When a token was last issued for it
    lastUsedAt: str
    # True for the session of this request
    isCurrent: bool



class TotpEnrolment(TypedDict):
    # Base32, for typing it into an authenticator
    secret: str
    otpauthUri: str
    # The URI as QR code: an SVG image in a data: URL
    qrCode: str



class RecoveryCodes(TypedDict):
    # Each works once instead of a code of the authenticator
    recoveryCodes: List[str]



class _CreatedPayment(TypedDict):
    id: str
    internalId: str
    reference: str
    amount: str
    currency: str
    paymentType: Literal['GPO', 'PPR']
    paymentMethod: str
    status: Literal['Pending', 'Processing', 'Authorized', 'Captured', 'Paid', 'Failed', 'Canceled', 'Expired']
    # How much of the money was refunded
    refundStatus: Literal['none', 'partial', 'full']
    # The kind of money that a person must refund, complete or resolve. null: no kind, or resolved
    attention: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', None]
    # What the console and files show: the status, or the difference of its money that the status hides
    standing: Literal['pending', 'processing', 'authorized', 'captured', 'paid', 'refused', 'timed_out', 'failed', 'canceled', 'expired', 'overpaid', 'short_paid', 'other_amount', 'paid_late', 'reserved_late', 'canceled_with_money', 'partly_refunded', 'refunded']
    # amount_mismatch, overpaid, recovered
    flags: List[str]
    createdAt: str
    # The person who charged. Null for API clients, and for payers of a link
    createdBy: Optional[str]
    customMetadata: Optional[Dict[str, Any]]
    merchantId: str
    # The API client that charged. Null for people and payers
    createdByClient: Optional[str]
    # The person who canceled. Null for API clients and without a cancellation
    canceledBy: Optional[str]
    # The API client that canceled. Null for people
    canceledByClient: Optional[str]
    # The open shift of the person who charged
    shiftId: Optional[str]
    entity: Optional[str]
    # Sum of accepted transactions
    amountPaid: str
    # What of it was given back
    amountRefunded: str
    # capture: the authorization it takes from
    authorizationId: Optional[str]
    # authorization: what the provider really reserved
    amountAuthorized: Optional[str]
    # authorization: what was captured of it; the rest is released
    amountCaptured: Optional[str]
    # authorization: what is under way
    operation: Literal['capturing', 'voiding', None]
    # qrcode: payments it accepts
    maxTransactions: Optional[int]
    # qrcode: payments it has accepted
    acceptedTransactions: Optional[int]
    # Money, or a reservation, came after the payment had ended
    late: bool
    # When a person resolved the attention. Later odd money clears it
    resolvedAt: Optional[str]
    # internalId of the payment that replaced this one
    replacedBy: Optional[str]
    # internalId of the payment that this one replaces
    replaces: Optional[str]
    # The payment link that it was begun by
    linkId: Optional[str]
    completedAt: Optional[str]
    expiresAt: Optional[str]
    description: Optional[str]
    customer: Customer
    customerEmail: Optional[str]
    customerName: Optional[str]
    customerTelephone: Optional[str]
    # The payer’s document, mostly the tax number (NIF)
    documentNumber: Optional[str]
    # PPR
    referenceType: Literal['Dynamic', 'Charging', None]
    # PPR: whether the reference can be paid
    referenceStatus: Literal['Pending', 'Paid', 'Canceled', 'Expired', None]
    # PPR: since when the provider knows it; payable from then on
    registeredAt: Optional[str]
    failure: Optional[PaymentFailure]
    transactions: List[Transaction]
    checkoutUrl: str
    clientToken: str


class CreatedPayment(_CreatedPayment, total=False):
    # qrcode with Prefer: return=representation, or with an Accept of JSON only
    qrCode: QrCode
    # What the gateway read otherwise than you may have meant, such as an unknown `paymentMethod`
    warnings: List[FieldFault]



class ListedPayment(TypedDict):
    id: str
    internalId: str
    reference: str
    amount: str
    currency: str
    paymentType: Literal['GPO', 'PPR']
    paymentMethod: str
    status: Literal['Pending', 'Processing', 'Authorized', 'Captured', 'Paid', 'Failed', 'Canceled', 'Expired']
    # How much of the money was refunded
    refundStatus: Literal['none', 'partial', 'full']
    # The kind of money that a person must refund, complete or resolve. null: no kind, or resolved
    attention: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', None]
    # What the console and files show: the status, or the difference of its money that the status hides
    standing: Literal['pending', 'processing', 'authorized', 'captured', 'paid', 'refused', 'timed_out', 'failed', 'canceled', 'expired', 'overpaid', 'short_paid', 'other_amount', 'paid_late', 'reserved_late', 'canceled_with_money', 'partly_refunded', 'refunded']
    # amount_mismatch, overpaid, recovered
    flags: List[str]
    createdAt: str
    # The person who charged. Null for API clients, and for payers of a link
    createdBy: Optional[str]
    customMetadata: Optional[Dict[str, Any]]



class PaymentSums(TypedDict):
    # The payments of all pages
    payments: int
    # False: there are more payments than these, and `sums` is empty
    isComplete: bool
    # For each currency: the accepted money, what was given back, and the difference
    sums: List[PaymentSum]



class Payment(TypedDict):
    id: str
    internalId: str
    reference: str
    amount: str
    currency: str
    paymentType: Literal['GPO', 'PPR']
    paymentMethod: str
    status: Literal['Pending', 'Processing', 'Authorized', 'Captured', 'Paid', 'Failed', 'Canceled', 'Expired']
    # How much of the money was refunded
    refundStatus: Literal['none', 'partial', 'full']
    # The kind of money that a person must refund, complete or resolve. null: no kind, or resolved
    attention: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', None]
    # What the console and files show: the status, or the difference of its money that the status hides
    standing: Literal['pending', 'processing', 'authorized', 'captured', 'paid', 'refused', 'timed_out', 'failed', 'canceled', 'expired', 'overpaid', 'short_paid', 'other_amount', 'paid_late', 'reserved_late', 'canceled_with_money', 'partly_refunded', 'refunded']
    # amount_mismatch, overpaid, recovered
    flags: List[str]
    createdAt: str
    # The person who charged. Null for API clients, and for payers of a link
    createdBy: Optional[str]
    customMetadata: Optional[Dict[str, Any]]
    merchantId: str
    # The API client that charged. Null for people and payers
    createdByClient: Optional[str]
    # The person who canceled. Null for API clients and without a cancellation
    canceledBy: Optional[str]
    # The API client that canceled. Null for people
    canceledByClient: Optional[str]
    # The open shift of the person who charged
    shiftId: Optional[str]
    entity: Optional[str]
    # Sum of accepted transactions
    amountPaid: str
    # What of it was given back
    amountRefunded: str
    # capture: the authorization it takes from
    authorizationId: Optional[str]
    # authorization: what the provider really reserved
    amountAuthorized: Optional[str]
    # authorization: what was captured of it; the rest is released
    amountCaptured: Optional[str]
    # authorization: what is under way
    operation: Literal['capturing', 'voiding', None]
    # qrcode: payments it accepts
    maxTransactions: Optional[int]
    # qrcode: payments it has accepted
    acceptedTransactions: Optional[int]
    # Money, or a reservation, came after the payment had ended
    late: bool
    # When a person resolved the attention. Later odd money clears it
    resolvedAt: Optional[str]
    # internalId of the payment that replaced this one
    replacedBy: Optional[str]
    # internalId of the payment that this one replaces
    replaces: Optional[str]
    # The payment link that it was begun by
    linkId: Optional[str]
    completedAt: Optional[str]
    expiresAt: Optional[str]
    description: Optional[str]
    customer: Customer
    customerEmail: Optional[str]
    customerName: Optional[str]
    customerTelephone: Optional[str]
    # The payer’s document, mostly the tax number (NIF)
    documentNumber: Optional[str]
    # PPR
    referenceType: Literal['Dynamic', 'Charging', None]
    # PPR: whether the reference can be paid
    referenceStatus: Literal['Pending', 'Paid', 'Canceled', 'Expired', None]
    # PPR: since when the provider knows it; payable from then on
    registeredAt: Optional[str]
    failure: Optional[PaymentFailure]
    transactions: List[Transaction]
    checkoutUrl: str
    clientToken: str



class PaymentMethods(TypedDict):
    # Each payment method, also one that the merchant does not offer
    methods: List[PaymentMethod]
    # True once the merchant has received a first payment
    hasReceivedMoney: bool



class ReplacementOutlook(TypedDict):
    # True if `replacePayment` would charge this money in another way now
    isReplaceable: bool
    # The time until which the payment itself may be paid. Null if it has ended, or if only the rail knows
    payableUntil: Optional[str]
    # The newest push: the mobile number that received it, and the end of the payer’s time to approve it
    push: Optional[ReplacementOutlookPush]



class Refund(TypedDict):
    id: str
    # The payment that has the money; of an authorization its capture
    paymentId: str
    transactionId: str
    # Major units
    amount: str
    currency: str
    status: Literal['Pending', 'Processing', 'Succeeded', 'Failed', 'Canceled']
    # manual: given back outside the rail, and recorded
    method: Literal['rail', 'manual']
    reason: Optional[str]
    # Your own name of it
    reference: Optional[str]
    # manual: what shows that it was given back
    proof: Optional[str]
    # manual: the day in Luanda on which it was given back
    refundedOn: Optional[str]
    failureCode: Literal['customer_refused', 'insufficient_funds', 'limit_exceeded', 'number_not_active', 'timed_out', 'terminal_closed', 'issuer_refused', 'rail_unavailable', 'acquirer_setup', None]
    # The rail gave it back after it had failed or was canceled here
    late: bool
    transactionNumber: Optional[str]
    clearingPeriod: Optional[str]
    createdAt: str
    # The person who requested it. Null for API clients
    createdBy: Optional[str]
    # The API client that requested it. Null for people
    createdByClient: Optional[str]
    # The person’s open shift at the request
    shiftId: Optional[str]
    completedAt: Optional[str]



class Refundable(TypedDict):
    data: List[RefundableTransaction]



class PprReference(TypedDict):
    # Of its payment
    internalId: str
    reference: str
    entity: str
    # 0: the payer chooses
    amount: str
    currency: str
    referenceType: Literal['Dynamic', 'Charging']
    # Of the payment
    status: Literal['Pending', 'Processing', 'Authorized', 'Captured', 'Paid', 'Failed', 'Canceled', 'Expired']
    # Whether it can be paid: only Pending can
    referenceStatus: Literal['Pending', 'Paid', 'Canceled', 'Expired']
    # Sum of what was received
    amountPaid: str
    # What of it was given back
    amountRefunded: str
    # How much of the money was refunded
    refundStatus: Literal['none', 'partial', 'full']
    # The kind of money that a person must refund, complete or resolve. null: no kind, or resolved
    attention: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', None]
    # What the console and files show: the status, or the difference of its money that the status hides
    standing: Literal['pending', 'processing', 'authorized', 'captured', 'paid', 'refused', 'timed_out', 'failed', 'canceled', 'expired', 'overpaid', 'short_paid', 'other_amount', 'paid_late', 'reserved_late', 'canceled_with_money', 'partly_refunded', 'refunded']
    # amount_mismatch, overpaid
    flags: List[str]
    expiresAt: str
    createdAt: str
    # Since when the provider knows it; payable from then on
    registeredAt: Optional[str]
    # Of one canceled or expired that its provider cannot withdraw: until when money may still come, late
    payableUntil: Optional[str]
    description: Optional[str]
    customerEmail: Optional[str]
    customerName: Optional[str]
    customerTelephone: Optional[str]
    documentNumber: Optional[str]
    # legacy: payments bring no callback
    contract: Literal['current', 'legacy']
    checkoutUrl: str
    clientToken: str
    customMetadata: Optional[Dict[str, Any]]



class Summary(TypedDict):
    day: str
    currency: str
    asOf: str
    # Recorded on this day. Money in another currency than its payment is only in the list of movements
    taken: SummaryTaken
    # Refunded on this day, by the rail or by hand
    returned: SummaryReturned
    # The 24 hours of the day
    hours: List[SummaryHour]
    # Payments created on this day, by their current status
    payments: SummaryPayments
    # Why the other final payments of this day were not paid, most frequent reason first: the code of the
    # failure, `expired` or `canceled`. The counts and `succeeded` add up to the final payments
    failures: List[SummaryFailure]
    # From Monday to the end of this day
    week: SummaryWeek
    # The seven days before
    lastWeek: SummaryLastWeek
    attention: List[SummaryAttention]



class Movement(TypedDict):
    # Id of the transaction or of the refund
    id: str
    # `refund`: by the rail. `manual`: by hand, outside of the rail
    type: Literal['payment', 'capture', 'scan', 'reference', 'refund', 'manual']
    paymentId: str
    # The payment’s reference
    reference: str
    # The payment’s method
    paymentMethod: str
    # The payer’s document, mostly the tax number (NIF)
    documentNumber: Optional[str]
    # Rail account of the movement
    account: RailAccountName
    # The rail’s id of the transaction
    providerRef: Optional[str]
    # The rail’s name of the period, else the day that ends at 20:00 in Luanda
    clearingPeriod: str
    transactionNumber: Optional[str]
    # Negative for a refund
    gross: str
    # The rail’s fee. Null if the rail does not report it
    fee: Optional[str]
    # Refunded later. Each refund is a movement too
    refunded: str
    # Part of the bank’s credit: gross less fee. 0 for a refund by hand
    net: str
    currency: str
    occurredAt: str
    recordedAt: str
    # The payment was final before. For a refund: it had failed or was canceled before
    late: bool



class ListedDay(TypedDict):
    # A clearing day ends at 20:00 in Luanda
    day: str
    # The first that holds: `differs`: a difference has no explanation. `open`: a period is not closed.
    # `waiting`: a settlement has no credit. `explained`: each difference has an explanation. `balanced`
    status: Literal['differs', 'open', 'waiting', 'explained', 'balanced']
    # Close of the last period. Null until all are closed
    closedAt: Optional[str]
    # Settlements of the day
    accounts: int
    # All accounts together, by currency
    sums: List[DaySums]



class DaySums(TypedDict):
    currency: str
    # Movements
    count: int
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail
    refundedByHand: str
    # Fees of the bank, entered as such
    bankFees: str
    # Taken less fees, refunded and bank fees
    expectedCredit: str
    credited: str
    # The expected credit of the settlements without a credit
    awaitedCredit: str
    # Credited less expected, of the settlements with a credit
    difference: str
    # The part with an explanation
    explainedDifference: str
    # The part that needs a person
    unexplainedDifference: str



class Day(TypedDict):
    # A clearing day ends at 20:00 in Luanda
    day: str
    # The first that holds: `differs`: a difference has no explanation. `open`: a period is not closed.
    # `waiting`: a settlement has no credit. `explained`: each difference has an explanation. `balanced`
    status: Literal['differs', 'open', 'waiting', 'explained', 'balanced']
    # Close of the last period. Null until all are closed
    closedAt: Optional[str]
    # Settlements of the day
    accounts: int
    # All accounts together, by currency
    sums: List[DaySums]
    # By account
    settlements: List[ListedSettlement]
    methods: List[DayMethod]
    cashiers: List[DayCashier]
    shifts: List[DayShift]



class ListedSettlement(TypedDict):
    id: str
    account: RailAccountName
    # The rail’s name of the period, else its day
    clearingPeriod: str
    # Clearing day of its first movement. A clearing day ends at 20:00 in Luanda
    day: str
    currency: str
    # `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it differs, and
    # exactly this difference has an explanation
    status: Literal['open', 'balanced', 'differs', 'explained']
    # Null until the period closes
    closedAt: Optional[str]
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail. They do not change the credit
    refundedByHand: str
    # Fees of the bank, entered as such. They reduce the expected credit
    bankFees: str
    # Taken less fees, refunded and bank fees
    expectedCredit: str
    # Movements
    count: int
    credited: str
    # Credited less expected
    difference: str
    explanation: Optional[Explanation]
    changedAfterClose: Optional[ChangeAfterClose]
    # Last comparison with the rail’s books. Null before it, or if this rail has no list
    reconciledAt: Optional[str]
    # Movements that differ between the rail and the gateway
    differenceCount: int



class Explanation(TypedDict):
    reason: Literal['next_period', 'refund', 'rail', 'bank', 'other']
    note: Optional[str]
    # The explained difference
    difference: str
    # False: the difference has changed, and needs a person again
    holds: bool
    # Name of the person or of the API client
    explainedBy: Optional[str]
    explainedAt: str



class Settlement(TypedDict):
    id: str
    account: RailAccountName
    # The rail’s name of the period, else its day
    clearingPeriod: str
    # Clearing day of its first movement. A clearing day ends at 20:00 in Luanda
    day: str
    currency: str
    # `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it differs, and
    # exactly this difference has an explanation
    status: Literal['open', 'balanced', 'differs', 'explained']
    # Null until the period closes
    closedAt: Optional[str]
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail. They do not change the credit
    refundedByHand: str
    # Fees of the bank, entered as such. They reduce the expected credit
    bankFees: str
    # Taken less fees, refunded and bank fees
    expectedCredit: str
    # Movements
    count: int
    credited: str
    # Credited less expected
    difference: str
    explanation: Optional[Explanation]
    changedAfterClose: Optional[ChangeAfterClose]
    # Last comparison with the rail’s books. Null before it, or if this rail has no list
    reconciledAt: Optional[str]
    # Movements that differ between the rail and the gateway
    differenceCount: int
    credits: List[Credit]
    # The fees of the bank, which are no credits
    bankFeeEntries: List[Credit]
    # Reasons for a difference, most likely first
    reasons: List[SettlementReason]
    # Differences from the rail’s books, at most the first hundred
    differences: List[SettlementDifference]
    movements: MovementPage



class Credit(TypedDict):
    id: str
    # Negative if the bank took money
    amount: str
    currency: str
    date: str
    bankReference: Optional[str]
    source: Literal['hand', 'file']
    enteredAt: str
    # The wrong entry that this one takes back
    reverses: Optional[str]
    # The entry that takes this one back
    reversedBy: Optional[str]



class SettlementDifference(TypedDict):
    # `missing_here`: the rail lists it in this period and the gateway does not. `missing_there`: the gateway
    # has it and the rail does not list it. `amount`: both have it, with different amounts. `unreadable`: the
    # rail’s entry cannot be read
    kind: Literal['missing_here', 'missing_there', 'amount', 'unreadable']
    # The rail’s id of the transaction
    providerRef: Optional[str]
    # The rail’s amount
    amount: Optional[str]
    ourAmount: Optional[str]
    # The gateway’s transaction, also of another period
    transactionId: Optional[str]
    refundId: Optional[str]
    paymentId: Optional[str]



class SettlementSummary(TypedDict):
    id: str
    account: RailAccountName
    # The rail’s name of the period, else its day
    clearingPeriod: str
    # Clearing day of its first movement. A clearing day ends at 20:00 in Luanda
    day: str
    currency: str
    # `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it differs, and
    # exactly this difference has an explanation
    status: Literal['open', 'balanced', 'differs', 'explained']
    # Null until the period closes
    closedAt: Optional[str]
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail. They do not change the credit
    refundedByHand: str
    # Fees of the bank, entered as such. They reduce the expected credit
    bankFees: str
    # Taken less fees, refunded and bank fees
    expectedCredit: str
    # Movements
    count: int
    credited: str
    # Credited less expected
    difference: str
    explanation: Optional[Explanation]
    changedAfterClose: Optional[ChangeAfterClose]
    # Last comparison with the rail’s books. Null before it, or if this rail has no list
    reconciledAt: Optional[str]
    # Movements that differ between the rail and the gateway
    differenceCount: int
    credits: List[Credit]
    # The fees of the bank, which are no credits
    bankFeeEntries: List[Credit]
    # Reasons for a difference, most likely first
    reasons: List[SettlementReason]
    # Differences from the rail’s books, at most the first hundred
    differences: List[SettlementDifference]



class StatementReport(TypedDict):
    format: Literal['csv', 'xlsx', 'camt053', 'mt940']
    isPreview: bool
    counts: StatementReportCounts
    lines: List[StatementLine]
    # Every settlement that `credits` or `candidates` name
    settlements: List[StatementReportSettlement]



class StatementLine(TypedDict):
    # Number of the line or row. In camt.053: number of the movement
    line: int
    # IBAN or number of the bank’s account, if the file has it
    account: Optional[str]
    # Null if the line is not a movement
    date: Optional[str]
    # Negative for a debit
    amount: Optional[str]
    currency: Optional[str]
    description: str
    # The bank’s reference
    reference: Optional[str]
    # `credited`: the line is the credit of `credits`. `known`: it was entered before. `unclear`: choose one of
    # `candidates`. `aside`: it is no credit of ours
    result: Literal['credited', 'known', 'unclear', 'aside']
    # Why the line is unclear or aside. `several`: more than one settlement or line fits. `amount_differs`: the
    # settlement expects another amount. `chosen`: the request set it aside. `not_a_line`: a heading or total.
    # `not_booked`: the bank has only announced it
    reason: Literal['debit', 'currency', 'no_settlement', 'several', 'amount_differs', 'chosen', 'not_a_line', 'unreadable', 'not_booked', None]
    credits: List[StatementLineCredit]
    candidates: List[str]



class Shift(TypedDict):
    id: str
    cashier: Cashier
    status: Literal['open', 'closed']
    openedAt: str
    closedAt: Optional[str]
    closedBy: Optional[Cashier]
    note: Optional[str]
    # The currency of totals and cash
    currency: str
    # Received money, by method and currency
    taken: List[ShiftTaken]
    # Refunded money, by method of its payment and currency
    refunded: List[ShiftRefunded]
    # Money in `currency`
    totals: ShiftTotals
    # Payments charged in the shift and canceled; of a closed shift as it closed
    canceled: ShiftCanceled
    # Payments charged in the shift that are still open; of a closed shift as it closed
    pending: ShiftCanceled
    # Cash beside the gateway. Null if the shop took no cash when the shift opened
    cash: Optional[ShiftCash]



class _TerminalAnswer(TypedDict):
    message: str


class TerminalAnswer(_TerminalAnswer, total=False):
    """Fields other than `message` require `Prefer: return=representation`."""

    posId: str
    status: Literal['Closed', 'Opening', 'Open', 'Closing']
    # The selling period at the provider; grows at each opening
    period: Optional[str]
    supervisorRequired: bool



class FeedEvent(TypedDict):
    # The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
    id: str
    # The event type: payment.paid and others by status, reference.*, callback.*, terminal.*
    type: str
    occurredAt: str
    paymentId: Optional[str]
    # The status after the event
    status: Optional[str]
    # Further fields by type, for instance the transactionId of received money
    details: Dict[str, Any]
    # The payment’s details right after the event, with its newest 20 transactions. null: the event concerns no
    # payment. Two parts show the current state instead: the payment of `callback.*` events, and the fields
    # `referenceStatus` and `registeredAt`.
    data: Optional[Payment]
    # The cursor to continue after this event
    cursor: str



class CallbackEndpoint(TypedDict):
    """The callback endpoint. The access key is never returned."""

    url: str
    hasAccessKey: bool
    # failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds
    status: Literal['active', 'failing']
    # When the first of the failed attempts in a row ended
    failingSince: Optional[str]
    # Failed attempts in a row
    failures: int
    createdAt: str
    updatedAt: str



class ListedDelivery(TypedDict):
    # `Balcao-Delivery`: the same at every attempt
    id: str
    kind: Literal['callback', 'webhook', 'test']
    # callback.ppr, callback.qrcode, webhook.test, or the event’s type
    type: str
    # Pending: the next attempt is scheduled · Delivered: your server confirmed it · Abandoned: 72 hours have
    # passed, or your server answered 410 · Skipped: no endpoint was set
    status: Literal['Pending', 'Delivered', 'Abandoned', 'Skipped']
    # The payment’s `internalId`
    paymentId: Optional[str]
    transactionId: Optional[str]
    endpointId: Optional[str]
    # The number of attempts, including a running one
    attemptsMade: int
    nextAttemptAt: Optional[str]
    createdAt: str
    deliveredAt: Optional[str]
    lastAttempt: Optional[DeliveryAttempt]



class DeliveryAttempt(TypedDict):
    # `Balcao-Attempt`, from 1
    number: int
    startedAt: str
    durationMs: Optional[int]
    # delivered · refused: 2xx without `Success: true` · status: not 2xx · timeout: no answer within 10 s ·
    # connection: the connection broke · unreachable: no connection was made · too_large: the answer is too long
    # · blocked: the address is not public · interrupted: the node died during the attempt
    outcome: Literal['delivered', 'refused', 'status', 'timeout', 'connection', 'unreachable', 'too_large', 'blocked', 'interrupted']
    # The answer’s HTTP status
    status: Optional[int]
    # The first 2 KiB of the answer
    answer: Optional[str]
    # The error below HTTP, for instance of the connection
    error: Optional[str]



class Delivery(TypedDict):
    # `Balcao-Delivery`: the same at every attempt
    id: str
    kind: Literal['callback', 'webhook', 'test']
    # callback.ppr, callback.qrcode, webhook.test, or the event’s type
    type: str
    # Pending: the next attempt is scheduled · Delivered: your server confirmed it · Abandoned: 72 hours have
    # passed, or your server answered 410 · Skipped: no endpoint was set
    status: Literal['Pending', 'Delivered', 'Abandoned', 'Skipped']
    # The payment’s `internalId`
    paymentId: Optional[str]
    transactionId: Optional[str]
    endpointId: Optional[str]
    # The number of attempts, including a running one
    attemptsMade: int
    nextAttemptAt: Optional[str]
    createdAt: str
    deliveredAt: Optional[str]
    lastAttempt: Optional[DeliveryAttempt]
    # The current address of the endpoint; null without an endpoint
    url: Optional[str]
    # The JSON object that is sent
    body: Optional[Dict[str, Any]]
    # All attempts, oldest first
    attempts: List[DeliveryAttempt]



class Replay(TypedDict):
    replayed: int



class Webhook(TypedDict):
    """A webhook endpoint. Its signing secret is returned once, at creation."""

    id: str
    url: str
    # null: all events
    types: Optional[List[str]]
    description: Optional[str]
    # failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds
    status: Literal['active', 'failing']
    # When the first of the failed attempts in a row ended
    failingSince: Optional[str]
    # Failed attempts in a row
    failures: int
    createdAt: str
    updatedAt: str



class CreatedWebhook(TypedDict):
    """A webhook with its signing secret."""

    id: str
    url: str
    # null: all events
    types: Optional[List[str]]
    description: Optional[str]
    # failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds
    status: Literal['active', 'failing']
    # When the first of the failed attempts in a row ended
    failingSince: Optional[str]
    # Failed attempts in a row
    failures: int
    createdAt: str
    updatedAt: str
    # `whsec_` and the base64 of 32 bytes. It is not returned again
    secret: str



class RotatedSecret(TypedDict):
    # `whsec_` and the base64 of 32 bytes. It is not returned again
    secret: str
    # The old secret signs too until this time
    overlapUntil: str



class Merchant(TypedDict):
    id: str
    name: str
    defaultLanguage: Literal['pt', 'en', 'fr']
    # Its tax number (NIF)
    taxId: Optional[str]
    brandColor: Optional[str]
    # A `data:` URL
    brandLogo: Optional[str]
    # Contact for payers’ questions about their data
    privacyContact: Optional[str]
    # Your own privacy text for payers
    privacyNotice: Optional[str]
    # Origins whose pages may frame the checkout
    allowedOrigins: List[str]
    # Origins that `returnUrl` and `cancelUrl` may point to
    returnOrigins: List[str]
    uniqueReferences: bool
    # Maximum refunds of a cashier per day, in kwanzas; null: no refunds
    cashierRefundLimit: Optional[str]
    # Whether shifts count cash beside the gateway
    takesCash: bool
    # Payment methods of the hosted page
    checkoutMethods: List[Literal['push', 'qrcode', 'reference']]
    # Keys of customMetadata to search payments by
    searchKeys: List[str]
    # Assigned by the operator
    gpoMerchantIds: List[str]
    # Terminals, assigned by the operator
    gpoPosIds: List[str]
    # Entity of payment references, assigned by the operator
    entity: Optional[str]
    createdAt: str



class CreatedClient(TypedDict):
    clientId: str
    name: str
    scopes: List[str]
    createdAt: str
    # Not returned again
    clientSecret: str



class Client(TypedDict):
    """An API client. Creation and rotation return its secret once."""

    clientId: str
    name: str
    scopes: List[str]
    createdAt: str
    rotatedAt: Optional[str]
    # The secret before the last rotation is valid until then
    overlapUntil: Optional[str]



class RotatedClient(TypedDict):
    clientId: str
    # Not returned again
    clientSecret: str
    # The secret before the last rotation is valid until then
    overlapUntil: str



class RequestError(TypedDict):
    id: str
    occurredAt: str
    method: str
    # Path without ids, as in this document: `/api/payments/{paymentId}`
    path: str
    status: int
    # Code of the problem, or of the first warning
    code: str
    # At most the first 20 faults, or the warnings of an accepted request
    faults: List[LoggedFault]
    # `X-Request-Id` of the answer, also in the gateway’s log
    requestId: str
    # API client that sent the request
    clientId: Optional[str]



class Member(TypedDict):
    userId: str
    email: str
    # null while Invited
    firstName: Optional[str]
    lastName: Optional[str]
    role: Literal['Viewer', 'Cashier', 'Developer', 'Administrator', 'Owner']
    roleId: str
    # Invited until they first sign in for this merchant
    status: Literal['Invited', 'Active']
    createdAt: str
    # When an invitation expires
    expiresAt: Optional[str]



class _GrantAnswer(TypedDict):
    message: str


class GrantAnswer(_GrantAnswer, total=False):
    """Fields other than `message` require `Prefer: return=representation`."""

    userId: str
    role: Literal['Viewer', 'Cashier', 'Developer', 'Administrator', 'Owner']
    # Invited until they first sign in for this merchant
    status: Literal['Invited', 'Active']



class _RevokeAnswer(TypedDict):
    message: str


class RevokeAnswer(_RevokeAnswer, total=False):
    # API clients whose secret the person knows; absent without any
    clients: List[RevokeAnswerClient]



class Role(TypedDict):
    id: str
    name: Literal['Viewer', 'Cashier', 'Developer', 'Administrator', 'Owner']
    description: str
    scopes: List[str]



class AuditEntry(TypedDict):
    id: str
    # A noun and a verb: `client.created`
    action: str
    actor: AuditEntryActor
    # IP address of the caller; an IPv6 address as its /64
    address: Optional[str]
    # Id of the changed object
    target: Optional[str]
    # Changes by field; for a secret only that it changed
    changes: Dict[str, Any]
    occurredAt: str



class Notification(TypedDict):
    id: str
    titulo: str
    # The event and the advice. Portuguese by default, English or French by Accept-Language
    mensagem: str
    # Type of the event
    tipo: str
    # 0 = Não Lido, 1 = Lido
    estado: Literal[0, 1]
    criadaEm: str
    lidaEm: Optional[str]
    # What the notification is about. `id` is null if it concerns the whole list
    objecto: Optional[NotificationObjecto]
    # Who made the change. null if the notification reports no change by a person or a system
    autor: Optional[NotificationAutor]



class PersonalData(TypedDict):
    subject: PersonalDataSubject
    merchantId: str
    takenAt: str
    # Purpose and retention of each column: a setting in days, or the end in words
    columns: Dict[str, Dict[str, PersonalDataColumn]]
    held: List[PersonalDataHeld]



class Erasure(TypedDict):
    id: str
    # Waiting: some rows are still in use and will be erased when they are finished
    status: Literal['Pending', 'Waiting', 'Done']
    # Rows still in use, at most 100
    waitingFor: List[ErasureWaitingFor]
    # Number of rows still in use
    waitingCount: int
    # Number of changed rows by table
    erased: Dict[str, int]
    createdAt: str
    completedAt: Optional[str]



class Plan(TypedDict):
    id: str
    name: str
    currency: str
    # Fee of a calendar month in Luanda, without IVA
    monthlyFee: str
    # Payments in a month that the fee covers
    includedPayments: int
    # Fee of each further payment, without IVA
    paymentFee: str



class Subscription(TypedDict):
    plan: Plan
    # The first month in Luanda of it
    since: str
    next: Optional[SubscriptionNext]



Usage = TypedDict(
    'Usage',
    {
        'from': "str",
        'to': "str",
        # Days with payments or refunds, oldest first
        'data': "List[UsageMonth]",
        'totals': "UsageTotals",
    },
    total=False,
)



class ListedInvoice(TypedDict):
    id: str
    # Consecutive in each year, without a gap
    number: str
    # Title of the document
    title: str
    issuedAt: str
    currency: str
    subtotal: str
    # IVA, rounded once, on the subtotal
    tax: str
    total: str
    # Its certified document. Null before the certification: this document has no fiscal value
    fiscal: Optional[FiscalDocument]
    # What it is for
    month: str
    # Part of the total that its credit notes take back
    credited: str



class FiscalDocument(TypedDict):
    # Number of the certified program
    number: str
    series: str
    # Address of the document. Null if only this API has it, as PDF
    url: Optional[str]
    # Signature of the certified program
    hash: str
    issuedAt: str



class Invoice(TypedDict):
    id: str
    # Consecutive in each year, without a gap
    number: str
    # Title of the document
    title: str
    issuedAt: str
    currency: str
    subtotal: str
    # IVA, rounded once, on the subtotal
    tax: str
    total: str
    # Its certified document. Null before the certification: this document has no fiscal value
    fiscal: Optional[FiscalDocument]
    # What it is for
    month: str
    # Part of the total that its credit notes take back
    credited: str
    issuer: InvoiceIssuer
    merchantName: str
    # Tax number (NIF) of the receiver at the time of issue
    merchantTaxId: Optional[str]
    taxPercent: float
    # How to pay. Null for an amount of zero, and for older statements
    payment: Optional[InvoicePayment]
    # Total without the credited part. The API does not record payments of statements
    amountDue: str
    plan: str
    # Payments received, including those that the monthly fee covers
    payments: int
    # Refunds made in the month. They cost nothing and return no fee
    refunds: int
    lines: List[InvoiceLine]
    # Its credit notes, oldest first. They never exceed the invoice
    creditNotes: List[CreditNote]



class CreditNote(TypedDict):
    id: str
    # Consecutive in each year, without a gap
    number: str
    # Title of the document
    title: str
    issuedAt: str
    currency: str
    subtotal: str
    # IVA, rounded once, on the subtotal
    tax: str
    total: str
    # Its certified document. Null before the certification: this document has no fiscal value
    fiscal: Optional[FiscalDocument]
    issuer: InvoiceIssuer
    merchantName: str
    # Tax number (NIF) of the receiver at the time of issue
    merchantTaxId: Optional[str]
    taxPercent: float
    # Corrected invoice
    invoiceId: str
    reason: str



class SmsContact(TypedDict):
    contactoId: str
    nome: str
    # E.164
    telefone: str
    # The person at this number refuses your SMS, so none are sent
    recusaSms: bool



class SmsConfirmation(TypedDict):
    success: bool
    message: str



class SmsContactList(TypedDict):
    listaId: str
    nome: str
    totalContactos: int
    criadoEm: str



class SmsContactListDetails(TypedDict):
    listaId: str
    nome: str
    totalContactos: int
    criadoEm: str
    # A page of its contacts, the last added first
    contactos: SmsContactPage



class SmsContactImport(TypedDict):
    # Contacts that were created
    criados: int
    # Contacts with the same name and number that existed already
    existentes: int
    # The list that has all contacts now; null: the request named none
    lista: Optional[SmsContactList]



class SmsMerchant(TypedDict):
    merchantId: str
    # Your own sender; null: none is set
    nomeremetenteSms: Optional[str]
    # Sender of messages whose request names no `remetente`
    remetenteEfetivo: str
    # The line that ends each message. `none`: no line. `reply`: answer PARAR. `link`: the address of an opt-out
    # page. `number`: call `optOutNumber`
    optOutText: Literal['none', 'reply', 'link', 'number']
    # Number that people call to refuse your SMS; null: none
    optOutNumber: Optional[str]



class SmsBalance(TypedDict):
    merchantId: str
    # Units left; one unit pays one part of one message
    saldoAtual: int
    unidade: Literal['SMS']
    # Time of the last movement; null: none yet
    atualizadoEm: Optional[str]



class SmsBalanceLedgerEntry(TypedDict):
    id: str
    # Credito: added by the operator · Debito: used · Reembolso: refunded
    tipo: Literal['Credito', 'Debito', 'Reembolso']
    # Units, at least 1
    quantidade: int
    # Balance after the movement
    saldoDepois: int
    descricao: str
    criadoEm: str
    # The batch that the units paid for, or null for a credit
    batchId: Optional[str]



class SmsTemplate(TypedDict):
    # The `smsId` of send requests
    id: str
    nome: str
    conteudo: str
    # Keys that need values, each once, in order of appearance
    chaves: List[str]
    criadoEm: str
    atualizadoEm: str



class SentSms(TypedDict):
    id: str
    # The batch: all messages of one request
    batchId: str
    # E.164
    numeroDestino: str
    remetente: str
    # The sent text, with all values filled in
    conteudo: str
    # Parts, which is also the price in units
    partes: int
    # Pendente: not yet sent to the network · Enviado: accepted by the network · Entregue: delivered to the
    # phone · Falhado: not delivered, and its units were refunded
    estado: Literal['Pendente', 'Enviado', 'Entregue', 'Falhado']
    enviadoEm: Optional[str]
    entregueEm: Optional[str]
    # Reason of the failure
    motivoFalha: Optional[str]
    # The recipient’s opt-out page; null if all your messages to this number could be answered
    paginaRecusa: Optional[str]



class SmsAcceptance(TypedDict):
    batchId: str
    # Number of messages, without repeated numbers and people who refuse SMS
    totalDestinatarios: int
    # Ignorado: no recipients are left
    estado: Literal['Pendente', 'Agendado', 'Ignorado']
    # Parts of the longest message
    partes: int
    # UCS-2 if at least one message needs it: 70 characters per part instead of 160
    codificacao: Literal['GSM-7', 'UCS-2']
    # The characters that forced UCS-2
    caracteresUcs2: List[str]
    # Debited units: the sum of the parts of all messages
    unidades: int
    # Repeated numbers that were removed: each number gets one message
    duplicados: int
    # Recipients that were skipped because they refuse your SMS
    recusados: int



class SmsSendingPreview(TypedDict):
    # Number of messages, without repeated numbers and people who refuse SMS
    totalDestinatarios: int
    # Parts of the longest message
    partes: int
    # UCS-2 if at least one message needs it: 70 characters per part instead of 160
    codificacao: Literal['GSM-7', 'UCS-2']
    # The characters that forced UCS-2
    caracteresUcs2: List[str]
    # Price in units: the sum of the parts of all messages
    unidades: int
    # Repeated numbers that were removed: each number gets one message
    duplicados: int
    # Recipients that were skipped because they refuse your SMS
    recusados: int
    # Current balance in units
    saldoAtual: int
    # The sender that the messages would have
    remetente: str
    # The scheduled time; null: immediately
    agendadaPara: Optional[str]
    # The first message as it would be sent; null: no recipients are left
    exemplo: Optional[SmsSendingPreviewExemplo]



class SmsScheduledAcceptance(TypedDict):
    batchId: str
    # Number of messages, without repeated numbers and people who refuse SMS
    totalDestinatarios: int
    # Ignorado: no recipients are left
    estado: Literal['Pendente', 'Agendado', 'Ignorado']
    # Parts of the longest message
    partes: int
    # UCS-2 if at least one message needs it: 70 characters per part instead of 160
    codificacao: Literal['GSM-7', 'UCS-2']
    # The characters that forced UCS-2
    caracteresUcs2: List[str]
    # Debited units: the sum of the parts of all messages
    unidades: int
    # Repeated numbers that were removed: each number gets one message
    duplicados: int
    # Recipients that were skipped because they refuse your SMS
    recusados: int
    agendamentoId: str
    agendadaPara: str



class SmsSchedule(TypedDict):
    agendamentoId: str
    batchId: str
    estado: Literal['Agendado', 'Enviado', 'Cancelado']
    agendadaPara: str
    # The text, or a copy of the template at the time of scheduling
    conteudo: str
    remetente: str
    totalDestinatarios: int
    unidades: int
    criadoEm: str
    enviadoEm: Optional[str]
    canceladoEm: Optional[str]



class SmsOptOut(TypedDict):
    id: str
    # E.164; null if the number was erased. The refusal stays in force
    phone: Optional[str]
    # `reply`: the person answered PARAR; `page`: the person used the opt-out page; `merchant`: you recorded it;
    # null: refused by the person, before origins were recorded
    source: Literal['reply', 'page', 'merchant', None]
    createdAt: str



class ReferenceSmsPreview(TypedDict):
    # Number of messages, without repeated numbers and people who refuse SMS
    totalDestinatarios: int
    # Parts of the longest message
    partes: int
    # UCS-2 if at least one message needs it: 70 characters per part instead of 160
    codificacao: Literal['GSM-7', 'UCS-2']
    # The characters that forced UCS-2
    caracteresUcs2: List[str]
    # Price in units: the sum of the parts of all messages
    unidades: int
    # Repeated numbers that were removed: each number gets one message
    duplicados: int
    # Recipients that were skipped because they refuse your SMS
    recusados: int
    # Current balance in units
    saldoAtual: int
    # The sender that the messages would have
    remetente: str
    # The first message as it would be sent; null: no recipients are left
    exemplo: Optional[SmsSendingPreviewExemplo]
    mensagens: List[ReferenceSmsPreviewMensagem]
    # References without a valid phone number of the customer: no message
    semTelemovel: List[str]
    # References that cannot be paid any more: no message
    naoPagaveis: List[str]
    # More references match than the 500 newest ones of this preview
    haMais: bool



class ReferenceSmsAcceptance(TypedDict):
    batchId: str
    # Number of messages, without repeated numbers and people who refuse SMS
    totalDestinatarios: int
    # Ignorado: no recipients are left
    estado: Literal['Pendente', 'Agendado', 'Ignorado']
    # Parts of the longest message
    partes: int
    # UCS-2 if at least one message needs it: 70 characters per part instead of 160
    codificacao: Literal['GSM-7', 'UCS-2']
    # The characters that forced UCS-2
    caracteresUcs2: List[str]
    # Debited units: the sum of the parts of all messages
    unidades: int
    # Repeated numbers that were removed: each number gets one message
    duplicados: int
    # Recipients that were skipped because they refuse your SMS
    recusados: int
    # References without a valid phone number of the customer: no message
    semTelemovel: List[str]
    # References that cannot be paid any more: no message
    naoPagaveis: List[str]



class SentReceipt(TypedDict):
    channel: Literal['sms', 'mail']
    # The debited SMS units. 0 for a mail
    units: int



class CheckoutSession(TypedDict):
    revision: int
    status: str



class Link(TypedDict):
    id: str
    slug: str
    # Public address to send, print or scan
    url: str
    status: Literal['Active', 'SoldOut', 'Expired', 'Withdrawn']
    # Problem codes, such as `gpo_id_required`, that block every method of the page now; empty: payable
    obstacles: List[str]
    title: str
    # null: the payer chooses
    amount: Optional[str]
    minAmount: Optional[str]
    maxAmount: Optional[str]
    currency: str
    stock: Optional[int]
    # Payments that can still be paid; each holds one unit of the stock
    openPayments: int
    # Paid payments; more than `stock` if money arrived late
    paidPayments: int
    expiresAt: Optional[str]
    methods: Optional[List[Literal['push', 'qrcode', 'reference']]]
    asks: List[Literal['name', 'email', 'phone', 'nif']]
    thanks: Optional[str]
    returnUrl: Optional[str]
    # Grows with every change; send it back with your change
    revision: int
    createdAt: str
    updatedAt: str
    withdrawnAt: Optional[str]



class LinkPayment(TypedDict):
    # The payment, or the payment reference that replaced it
    internalId: str
    reference: str
    status: Literal['Pending', 'Processing', 'Authorized', 'Captured', 'Paid', 'Failed', 'Canceled', 'Expired']
    amount: str
    amountPaid: str
    currency: str
    # How much of the money was refunded
    refundStatus: Literal['none', 'partial', 'full']
    # The kind of money that a person must refund, complete or resolve. null: no kind, or resolved
    attention: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', None]
    # What the console and files show: the status, or the difference of its money that the status hides
    standing: Literal['pending', 'processing', 'authorized', 'captured', 'paid', 'refused', 'timed_out', 'failed', 'canceled', 'expired', 'overpaid', 'short_paid', 'other_amount', 'paid_late', 'reserved_late', 'canceled_with_money', 'partly_refunded', 'refunded']
    customerName: Optional[str]
    customerEmail: Optional[str]
    customerTelephone: Optional[str]
    documentNumber: Optional[str]
    createdAt: str
    completedAt: Optional[str]



class ListedArticle(TypedDict):
    id: str
    name: str
    price: str
    currency: str
    position: int
    isActive: bool
    createdAt: str
    updatedAt: str
    # The entity tag for `If-Match`; a new position does not change it
    etag: str



class Article(TypedDict):
    id: str
    name: str
    price: str
    currency: str
    position: int
    isActive: bool
    createdAt: str
    updatedAt: str



class RailConnector(TypedDict):
    # `connector` of a rail account
    name: str
    kinds: List[Literal['gpo', 'ppr', 'sms']]
    # JSON Schema 2020-12 of `settings`
    settings: FormSchema
    # JSON Schema 2020-12 of `secrets`
    secrets: FormSchema



class FormField(TypedDict, total=False):
    """A field, or a group of fields"""

    type: str
    enum: List[str]
    required: List[str]
    properties: Dict[str, FormFieldPart]



class _FormSchema(TypedDict):
    type: Literal['object']
    properties: Dict[str, FormField]


class FormSchema(_FormSchema, total=False):
    required: List[str]



class RailAccount(TypedDict):
    id: str
    kind: Literal['gpo', 'ppr', 'sms']
    connector: str
    label: str
    environment: Literal['test', 'live']
    priority: int
    status: Literal['active', 'draining', 'disabled']
    # As they were sent
    settings: Dict[str, Any]
    # Always true. No answer contains secrets
    hasSecrets: bool
    secretsSetAt: str
    # Time of the last successful test of the credentials
    verifiedAt: Optional[str]
    # The supported operations; a payment that needs another operation is refused at creation
    capabilities: RailAccountCapabilities
    # Enter it at the provider. A notification without proof only makes Balcão query it
    notificationUrl: str
    createdAt: str



class RailProbe(TypedDict):
    result: Literal['ok', 'wrong_secret', 'wrong_host', 'no_connection', 'not_allowed']
    # The fault in one sentence; null for `ok`
    detail: Optional[str]



class _CallbackConfirmation(TypedDict):
    # true: your server has processed this callback, now or earlier
    Success: bool


class CallbackConfirmation(_CallbackConfirmation, total=False):
    Obs: Optional[str]
    # Your own number of the transaction
    Id: Optional[Union[str, float]]



class SigningKeys(TypedDict):
    keys: List[Dict[str, Any]]



class AuthorizationServer(TypedDict):
    issuer: str



class _RegisterPerson(TypedDict):
    email: str
    # 12 to 128 characters, not easy to guess
    password: str
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    firstName: str
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    lastName: str


class RegisterPerson(_RegisterPerson, total=False):
    # An Angolan mobile number
    phoneNumber: Optional[str]
    # Language of mails. Absent: by Accept-Language, else pt
    language: Literal['pt', 'en', 'fr', None]



class _VerifyEmail(TypedDict):
    # `token` of the mailed link; works once. At most 200 characters
    token: str


class VerifyEmail(_VerifyEmail, total=False):
    # The password to sign in with from now on. Absent: the registered password applies. Required if the address
    # was registered more than once.
    password: Optional[str]



class EmailRequest(TypedDict):
    email: str



class ResetPassword(TypedDict):
    # `token` of the mailed link; works once. At most 200 characters
    token: str
    # 12 to 128 characters, not easy to guess
    password: str



class _AcceptInvitation(TypedDict):
    # `token` of the mailed link; works once. At most 200 characters
    token: str
    # 12 to 128 characters, not easy to guess
    password: str
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    firstName: str
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    lastName: str


class AcceptInvitation(_AcceptInvitation, total=False):
    # An Angolan mobile number
    phoneNumber: Optional[str]
    # Language of mails. Absent: by Accept-Language, else pt
    language: Literal['pt', 'en', 'fr', None]



class ChangeProfile(TypedDict, total=False):
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    firstName: Optional[str]
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    lastName: Optional[str]
    # An Angolan mobile number; null removes it
    phoneNumber: Optional[str]
    # Language of mails
    language: Literal['pt', 'en', 'fr', None]
    # Groups of notifications that you want by mail; null: the default of your role
    noticeMail: Optional[List[str]]



class ChangePassword(TypedDict):
    # At most 1000 characters
    currentPassword: str
    # 12 to 128 characters, not easy to guess
    password: str



class SessionPage(TypedDict):
    data: List[Session]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class EnrolTotp(TypedDict):
    # Your current password. At most 1000 characters
    password: str



class DisableTotp(TypedDict):
    # A code of the authenticator, or a recovery code. At most 100 characters
    code: str



class TotpCode(TypedDict):
    # 6 digits of the authenticator. At most 100 characters
    code: str



class PaymentPage(TypedDict):
    data: List[ListedPayment]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]
    # False: there are more than `totalItems`. Only lists with search, paymentMethod, link or createdBy
    isTotalExact: bool



class CashierList(TypedDict):
    data: List[Cashier]
    clients: List[CashierListClient]



class PaymentHistory(TypedDict):
    data: List[PaymentHistoryEntry]



class _PaymentMessage(TypedDict):
    message: str


class PaymentMessage(_PaymentMessage, total=False):
    status: str



class ResolvePayment(TypedDict):
    # What you found and did. It stays in the history. One line, without control characters or changes of the
    # text’s direction, 1 to 500 characters
    note: str



class _ReplacePayment(TypedDict):
    paymentMethod: Literal['onetimepurchase', 'qrcode', 'reference']


class ReplacePayment(_ReplacePayment, total=False):
    # onetimepurchase: the number for the push. Absent: the number of the last push. At most 40 characters
    phoneNumber: Optional[str]



class CreateRefund(TypedDict, total=False):
    # Major units. Default: the whole refundable part
    amount: Optional[Amount]
    # Which money, where a payment has more than one, and of every QR code and Charging reference. A UUID of 36
    # characters
    transactionId: Optional[str]
    # Why, for your own books and the payer’s statement where the rail shows one. One line, without control
    # characters or changes of the text’s direction, 1 to 200 characters
    reason: Optional[str]
    # Your own name of it. One line, without control characters or changes of the text’s direction, 1 to 64
    # characters
    reference: Optional[str]
    # manual: you gave it back yourself; absent: through the rail
    method: Optional[str]
    # manual: what shows it, such as the number of the transfer. One line, without control characters or changes
    # of the text’s direction, 1 to 500 characters
    proof: Optional[str]
    # manual: the day in Luanda on which you returned it, from the day of the payment. Default: today
    refundedOn: Optional[str]



class RefundPage(TypedDict):
    data: List[Refund]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class CreateReference(TypedDict, total=False):
    # 9 to 15 digits; absent: 9 digits are generated
    reference: Optional[str]
    # Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the payer choose
    amount: Optional[Amount]
    # Case-insensitive: Dynamic or Charging
    referenceType: Optional[str]
    # ISO 8601. Default: Dynamic one month ahead, Charging the end of 2099. A date alone is its last moment in
    # Luanda
    expiryDate: Optional[str]
    # At most 4000 characters
    description: Optional[str]
    # At most 320 characters
    customerEmail: Optional[str]
    # At most 320 characters
    customerName: Optional[str]
    # At most 64 characters
    customerTelephone: Optional[str]
    # At most 64 characters
    documentNumber: Optional[str]
    # Yours; comes back as customMetadata. No secrets.
    customMetadata: Optional[Dict[str, Any]]



class PprReferencePage(TypedDict):
    data: List[PprReference]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class CreateReferences(TypedDict):
    references: List[CreateReference]



class CreatedReferences(TypedDict):
    data: List[PprReference]



class ReferenceHistory(TypedDict):
    message: str
    reference: str
    data: List[ReferenceHistoryEntry]



class MovementPage(TypedDict):
    data: List[Movement]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class DayPage(TypedDict):
    data: List[ListedDay]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class SettlementPage(TypedDict):
    data: List[ListedSettlement]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class EnterCredits(TypedDict, total=False):
    # `fee`: the bank’s fee, by hand. It reduces the expected credit, and is not part of `credited`
    kind: Literal['credit', 'fee']
    # Amount of the credit. Negative if the bank took money. A fee is positive
    amount: Amount
    # The bank’s date
    date: Optional[str]
    # The bank’s reference. One line, without control characters or changes of the text’s direction, 1 to 100
    # characters
    reference: Optional[str]
    # A bank statement as base64: CSV, text with tabs, XLSX, camt.053 or MT940. The content decides the format.
    # At most 1000000 characters
    file: Optional[str]
    # Columns and format of the file. Stored for the next file
    mapping: Optional[BankMapping]
    # Line numbers of the file, from 1. Default: credits that name the period or have the missing amount
    lines: Optional[List[int]]



class _ExplainDifference(TypedDict):
    # `next_period`: the bank credits it with another period. `refund`: only one side counts a refund. `rail`,
    # `bank`: the rail or the bank corrects it. A bank’s fee is no reason: enter it with the kind `fee`
    reason: Literal['next_period', 'refund', 'rail', 'bank', 'other']


class ExplainDifference(_ExplainDifference, total=False):
    # Required for the reason `other`. One line, without control characters or changes of the text’s direction,
    # 1 to 500 characters
    note: Optional[str]
    # The difference that the person saw. Another current difference is refused
    difference: Amount



class _ImportStatement(TypedDict):
    # A bank statement as base64: CSV, text with tabs, XLSX, camt.053 or MT940. The content decides the format.
    # At most 1000000 characters
    file: str


class ImportStatement(_ImportStatement, total=False):
    # Columns of a CSV file or workbook, if its headings do not name them. Stored for the next file
    mapping: Optional[BankMapping]
    # true: returns the result, and enters nothing
    preview: bool
    # A person’s choices. They override the gateway’s own result
    lines: List[StatementLineChoice]



class OpenShift(TypedDict, total=False):
    # Cash in the till at the start, in kwanzas. Default: 0
    openingCash: Optional[Amount]



class ShiftPage(TypedDict):
    data: List[Shift]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class CurrentShift(TypedDict):
    shift: Optional[Shift]



class _RecordCash(TypedDict):
    # `sale`: a sale in cash. `in`, `out`: cash put into the till or taken out
    kind: Literal['sale', 'in', 'out']
    # Major units, 0.01 to 10000000
    amount: Amount


class RecordCash(_RecordCash, total=False):
    # Why, for people. One line, without control characters or changes of the text’s direction, 1 to 200
    # characters
    note: Optional[str]



class CloseShift(TypedDict, total=False):
    # The counted cash, in kwanzas. Required in a shift with cash
    countedCash: Optional[Amount]
    # For people, such as the reason of a difference. One line, without control characters or changes of the
    # text’s direction, 1 to 200 characters
    note: Optional[str]



class FeedEventPage(TypedDict):
    data: List[FeedEvent]
    next: str



class _SetCallbackEndpoint(TypedDict):
    # An https URL on the public internet, with port 443 or a port from 1024, without user and password. At most
    # 2048 characters
    url: str


class SetCallbackEndpoint(_SetCallbackEndpoint, total=False):
    # 16 to 256 visible ASCII characters, sent as `Access-Key`. Absent: the current key stays
    accessKey: Optional[str]



class DeliveryPage(TypedDict):
    data: List[ListedDelivery]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



ReplayCallbacks = TypedDict(
    'ReplayCallbacks',
    {
        # Only deliveries with this status. Absent: Abandoned and Skipped
        'status': "Literal['Pending', 'Delivered', 'Abandoned', 'Skipped']",
        # The payment’s `internalId`. A UUID of 36 characters
        'paymentId': "str",
        # Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'to': "str",
        # Only this kind. Absent: both
        'kind': "Literal['callback', 'webhook']",
    },
    total=False,
)



class TestCallbackEndpoint(TypedDict, total=False):
    type: Literal['PPR', 'QR']



class WebhookPage(TypedDict):
    data: List[Webhook]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class _CreateWebhook(TypedDict):
    # An https URL on the public internet, with port 443 or a port from 1024, without user and password. At most
    # 2048 characters
    url: str


class CreateWebhook(_CreateWebhook, total=False):
    # The event types to send. `payment.*` means all events of payments. Absent: all events
    types: Optional[List[str]]
    # At most 500 characters
    description: Optional[str]



class RotateWebhookSecret(TypedDict, total=False):
    # How long the old secret signs too, in hours. 0: it ends at once
    overlapHours: Optional[int]



class _CreateMerchant(TypedDict):
    # Shown to payers. One line, without control characters or changes of the text’s direction, 1 to 100
    # characters
    name: str


class CreateMerchant(_CreateMerchant, total=False):
    defaultLanguage: Literal['pt', 'en', 'fr', None]



class CreatedMerchant(TypedDict):
    merchant: Merchant
    client: CreatedClient



class UpdateMerchant(TypedDict, total=False):
    # Shown to payers. One line, without control characters or changes of the text’s direction, 1 to 100
    # characters
    name: Optional[str]
    defaultLanguage: Literal['pt', 'en', 'fr', None]
    # Your tax number (NIF) for the operator’s documents; null removes it. At most 64 characters
    taxId: Optional[str]
    # Such as #0a7d4b; null: no color
    brandColor: Optional[str]
    # PNG, JPEG or WebP as a `data:` URL in base64; at most 32 KiB and 1024 pixels a side; null: no logo
    brandLogo: Optional[str]
    # Contact for questions of payers about their data: e-mail, telephone or postal address; null: no contact.
    # One line, without control characters or changes of the text’s direction, 1 to 200 characters
    privacyContact: Optional[str]
    # Your own privacy text, shown with the notice that every payer can open. Plain text in your default
    # language; null: no text
    privacyNotice: Optional[str]
    # Origins whose pages may frame the checkout; at most 20, such as https://loja.example
    allowedOrigins: Optional[List[str]]
    # Origins that `returnUrl` and `cancelUrl` may point to; at most 20, such as https://loja.example
    returnOrigins: Optional[List[str]]
    # Payment methods of the hosted page, in this order, if your accounts support them
    checkoutMethods: Optional[List[Literal['push', 'qrcode', 'reference']]]
    # Maximum refunds of a cashier per day (Luanda time), in kwanzas; null: no refunds
    cashierRefundLimit: Optional[Amount]
    # Up to three keys of customMetadata to search payments by: the newest 50 000 payments and all later ones.
    # Each 1 to 40 unaccented letters, digits or `_ . -`
    searchKeys: Optional[List[str]]
    # Refuse a second live or paid GPO payment with the same reference (`reference_in_use`)
    uniqueReferences: Optional[bool]
    # The shop also takes cash. Shifts that open from then on count it; it is never a movement
    takesCash: Optional[bool]



class ClientPage(TypedDict):
    data: List[Client]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class _CreateClient(TypedDict):
    # For the people who manage the client. One line, without control characters or changes of the text’s
    # direction, 1 to 100 characters
    name: str


class CreateClient(_CreateClient, total=False):
    # Scopes of your own token; absent: all of them. Possible: payments:read, payments:write, refunds:write,
    # references:read, references:write, terminals, merchant:read, merchant:write, users:write, sms:read,
    # sms:write, notifications, billing:read, billing:write, rails:write, books:write, privacy
    scopes: Optional[List[str]]



class RotateClientSecret(TypedDict, total=False):
    # Hours for which the old secret stays valid; 0: it ends at once
    overlapHours: Optional[int]



class RequestErrorPage(TypedDict):
    data: List[RequestError]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class MemberPage(TypedDict):
    data: List[Member]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class GrantAccess(TypedDict):
    email: str
    # Id of a role in GET /api/roles
    roleId: str



class RoleList(TypedDict):
    data: List[Role]



class AuditEntryPage(TypedDict):
    data: List[AuditEntry]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class NotificationPage(TypedDict):
    data: List[Notification]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class _MarkAllNotifications(TypedDict):
    # 1 = Lido
    estado: Literal[1]


class MarkAllNotifications(_MarkAllNotifications, total=False):
    # `id` of the newest notification to mark, so that later ones stay unread. Absent: all. A UUID of 36
    # characters
    ate: str



class MarkNotification(TypedDict):
    # 0 = Não Lido, 1 = Lido
    estado: Literal[0, 1]



class PersonalDataRequest(TypedDict, total=False):
    # An Angolan mobile number, in any spelling. At most 32 characters
    phone: Optional[str]
    # In any case
    email: Optional[str]



class PlanList(TypedDict):
    data: List[Plan]



class ChoosePlan(TypedDict):
    # Code of a plan in GET /api/billing/plans
    planId: str



class InvoicePage(TypedDict):
    data: List[ListedInvoice]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class CreateSmsContact(TypedDict):
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    nome: str
    # Angolan mobile number: 9 digits starting with 9. A prefix +244, 00244 or 244 and separators are allowed. 9
    # to 64 characters
    telefone: str



class SmsContactPage(TypedDict):
    data: List[SmsContact]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class _CreateSmsContactList(TypedDict):
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    nome: str


class CreateSmsContactList(_CreateSmsContactList, total=False):
    # Contacts of the list, at most 1000; repeated ids count once
    contactoIds: Optional[List[str]]



class SmsContactListPage(TypedDict):
    data: List[SmsContactList]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class AddSmsContactToList(TypedDict):
    listaId: str
    contactoId: str



class _ImportSmsContacts(TypedDict):
    # In any order; repeated contacts count once
    contactos: List[CreateSmsContact]


class ImportSmsContacts(_ImportSmsContacts, total=False):
    # An existing list that receives all contacts
    listaId: Optional[str]
    # Or the name of a new list for all contacts. One line, without control characters or changes of the text’s
    # direction, 1 to 100 characters
    novaLista: Optional[str]



class _UpdateSmsSender(TypedDict):
    # 1 to 11 letters and digits, at least one letter; null removes your sender. At most 11 characters
    nomeremetenteSms: Optional[str]


class UpdateSmsSender(_UpdateSmsSender, total=False):
    # The line that ends each message. `none`: no line. `reply`: answer PARAR. `link`: the address of an opt-out
    # page. `number`: call `optOutNumber`. Absent: unchanged
    optOutText: Literal['none', 'reply', 'link', 'number']
    # Number that people call to refuse your SMS: 9 digits, Angolan mobile or fixed. null: none. Absent:
    # unchanged
    optOutNumber: Optional[str]



class SmsBalanceLedgerEntryPage(TypedDict):
    data: List[SmsBalanceLedgerEntry]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class CreateSmsTemplate(TypedDict):
    # One line, without control characters or changes of the text’s direction, 1 to 100 characters
    nome: str
    # The text with `{{chave}}` placeholders. A key has 1 to 64 letters, digits, `_`, `-` and `.`. 1 to 1530
    # characters
    conteudo: str



class SmsTemplatePage(TypedDict):
    data: List[SmsTemplate]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class SentSmsPage(TypedDict):
    data: List[SentSms]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class _SendSms(TypedDict):
    # Each number gets one message, even if it is repeated. Each 9 to 64 characters
    numerosDestino: List[str]
    # Visible text of at most 10 parts. 1 to 1530 characters
    conteudo: str


class SendSms(_SendSms, total=False):
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]



class _SendSmsTemplate(TypedDict):
    # At most 100 characters
    smsId: str
    # Each number gets one message, even if it is repeated. Each 9 to 64 characters
    numerosDestino: List[str]


class SendSmsTemplate(_SendSmsTemplate, total=False):
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]
    # Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name
    valores: Optional[Dict[str, Union[str, float]]]



class _SendSmsToList(TypedDict):
    # At most 100 characters
    listaId: str


class SendSmsToList(_SendSmsToList, total=False):
    # Visible text of at most 10 parts. 1 to 1530 characters
    conteudo: Optional[str]
    # At most 100 characters
    smsId: Optional[str]
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]
    # Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name
    valores: Optional[Dict[str, Union[str, float]]]



class PreviewSms(TypedDict, total=False):
    dia: int
    mes: int
    ano: int
    hora: int
    minuto: int
    # Each number gets one message, even if it is repeated. Each 9 to 64 characters
    numerosDestino: Optional[List[str]]
    # At most 100 characters
    listaId: Optional[str]
    # Visible text of at most 10 parts. 1 to 1530 characters
    conteudo: Optional[str]
    # At most 100 characters
    smsId: Optional[str]
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]
    # Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name
    valores: Optional[Dict[str, Union[str, float]]]



class _ScheduleSms(TypedDict):
    dia: int
    mes: int
    ano: int
    hora: int
    minuto: int


class ScheduleSms(_ScheduleSms, total=False):
    # Each number gets one message, even if it is repeated. Each 9 to 64 characters
    numerosDestino: Optional[List[str]]
    # At most 100 characters
    listaId: Optional[str]
    # Visible text of at most 10 parts. 1 to 1530 characters
    conteudo: Optional[str]
    # At most 100 characters
    smsId: Optional[str]
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]
    # Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name
    valores: Optional[Dict[str, Union[str, float]]]



class SmsSchedulePage(TypedDict):
    data: List[SmsSchedule]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int



class SmsOptOutPage(TypedDict):
    data: List[SmsOptOut]
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class CreateSmsOptOut(TypedDict):
    # Angolan mobile number: 9 digits starting with 9. A prefix +244, 00244 or 244 and separators are allowed. 9
    # to 64 characters
    phone: str



PreviewReferenceSms = TypedDict(
    'PreviewReferenceSms',
    {
        # Digits of your references. If you used digits again, the newest reference with them. Each 9 to 15
        # digits
        'references': "Optional[List[str]]",
        # Without `references`: only references of this type
        'type': "str",
        # Without `references`: created at or after this time. A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'from': "Optional[str]",
        # Without `references`: created before this time. A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'to': "Optional[str]",
        # Beginning of each text; absent: your name and the reference’s description. Entity, reference, amount
        # and end follow it. 1 to 1530 characters
        'conteudo': "Optional[str]",
        # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
        'remetente': "Optional[str]",
    },
    total=False,
)



class _SendReferenceSms(TypedDict):
    # Digits of your references. If you used digits again, the newest reference with them. Each 9 to 15 digits
    references: List[str]


class SendReferenceSms(_SendReferenceSms, total=False):
    # Beginning of each text; absent: your name and the reference’s description. Entity, reference, amount and
    # end follow it. 1 to 1530 characters
    conteudo: Optional[str]
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]



class _SendReceipt(TypedDict):
    channel: Literal['sms', 'mail']
    # sms: an Angolan mobile number. mail: an e-mail address. The gateway keeps it only with the message. 1 to
    # 320 characters
    to: str


class SendReceipt(_SendReceipt, total=False):
    # The only transaction of the receipt, for a payment that several customers pay. A UUID of 36 characters
    transactionId: Optional[str]



class PayCheckout(TypedDict):
    phoneNumber: str



EmptyRequest = Dict[str, Any]


class CheckoutReference(TypedDict):
    url: str
    clientToken: str
    session: CheckoutSession



class _CreateLink(TypedDict):
    # What the payer pays for: heading of the page and description of each payment. One line, without control
    # characters or changes of the text’s direction, 1 to 100 characters
    title: str
    # Three capital letters, such as `AOA`
    currency: str


class CreateLink(_CreateLink, total=False):
    # In major units; absent: the payer chooses
    amount: Optional[Amount]
    # Minimum that a payer may choose
    minAmount: Optional[Amount]
    # Maximum that a payer may choose
    maxAmount: Optional[Amount]
    # Maximum number of payments; 1: single use; absent: unlimited
    stock: Optional[int]
    # No new payments after this time, at most one year ahead; a date alone means the end of that day in Luanda.
    # A date, or a time with its offset, in ISO 8601, such as `2026-12-31` or `2026-12-31T12:00:00Z`
    expiresAt: Optional[str]
    # Payment methods in this order; absent: `checkoutMethods` of the merchant
    methods: Optional[List[Literal['push', 'qrcode', 'reference']]]
    # Fields that the payer must fill in, in this order; `nif`: the tax number, stored as `documentNumber`
    asks: Optional[List[Literal['name', 'email', 'phone', 'nif']]]
    # Shown to the payer after payment. One line, without control characters or changes of the text’s direction,
    # 1 to 300 characters
    thanks: Optional[str]
    # Address that the payment’s page links to after payment; its origin must be registered (`returnOrigins`).
    # At most 2048 characters
    returnUrl: Optional[str]



class LinkPage(TypedDict):
    data: List[Link]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class _ReplaceLink(TypedDict):
    # What the payer pays for: heading of the page and description of each payment. One line, without control
    # characters or changes of the text’s direction, 1 to 100 characters
    title: str
    # Three capital letters, such as `AOA`
    currency: str
    # `revision` of the link as it was read
    revision: int


class ReplaceLink(_ReplaceLink, total=False):
    # In major units; absent: the payer chooses
    amount: Optional[Amount]
    # Minimum that a payer may choose
    minAmount: Optional[Amount]
    # Maximum that a payer may choose
    maxAmount: Optional[Amount]
    # Maximum number of payments; 1: single use; absent: unlimited
    stock: Optional[int]
    # No new payments after this time, at most one year ahead; a date alone means the end of that day in Luanda.
    # A date, or a time with its offset, in ISO 8601, such as `2026-12-31` or `2026-12-31T12:00:00Z`
    expiresAt: Optional[str]
    # Payment methods in this order; absent: `checkoutMethods` of the merchant
    methods: Optional[List[Literal['push', 'qrcode', 'reference']]]
    # Fields that the payer must fill in, in this order; `nif`: the tax number, stored as `documentNumber`
    asks: Optional[List[Literal['name', 'email', 'phone', 'nif']]]
    # Shown to the payer after payment. One line, without control characters or changes of the text’s direction,
    # 1 to 300 characters
    thanks: Optional[str]
    # Address that the payment’s page links to after payment; its origin must be registered (`returnOrigins`).
    # At most 2048 characters
    returnUrl: Optional[str]



class LinkPaymentPage(TypedDict):
    data: List[LinkPayment]
    pageNumber: int
    pageSize: int
    totalPages: int
    totalItems: int
    # The cursor of the next page, for `after`. null: this is the last page
    next: Optional[str]



class SendLinkSms(TypedDict, total=False):
    # Each number gets one message, even if it is repeated. Each 9 to 64 characters
    numerosDestino: Optional[List[str]]
    # At most 100 characters
    listaId: Optional[str]
    # Absent: the title. The address is appended if the text does not contain it. 1 to 1530 characters
    conteudo: Optional[str]
    # Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters
    remetente: Optional[str]



class ArticleList(TypedDict):
    data: List[ListedArticle]



class _CreateArticle(TypedDict):
    # Unique among the active articles; part of the description of a charge. One line, without control
    # characters or changes of the text’s direction, 1 to 60 characters
    name: str
    # The price of one, in major units
    price: Amount
    # Three capital letters, such as `AOA`
    currency: str


class CreateArticle(_CreateArticle, total=False):
    # The place in the list, from 1; the other articles move. Default of a new article: the end
    position: int
    # false: the till does not show the article
    isActive: bool



class ChangeArticle(TypedDict, total=False):
    # Unique among the active articles; part of the description of a charge. One line, without control
    # characters or changes of the text’s direction, 1 to 60 characters
    name: str
    # The price of one, in major units
    price: Amount
    # The place in the list, from 1; the other articles move. Default of a new article: the end
    position: int
    # false: the till does not show the article
    isActive: bool



class RailConnectorList(TypedDict):
    data: List[RailConnector]



class RailAccountList(TypedDict):
    data: List[RailAccount]



class Health(TypedDict):
    status: str



InterfaceDocument = Dict[str, Any]


class ProblemCodeList(TypedDict):
    data: List[ProblemCode]



class ProblemCode(TypedDict):
    code: str
    status: int
    title: str
    detail: str



class GpoCreationMetadata(TypedDict, total=False):
    # Case-insensitive: webframe, onetimepurchase, authorization, capture, qrcode; unrecognized means webframe
    paymentMethod: Optional[str]
    # At most 40 characters
    phoneNumber: Optional[str]
    provider: Any
    # At most 64 characters
    gpo_merchant_id: Optional[str]
    # At most 64 characters
    gpo_pos_id: Optional[str]
    # At most 4000 characters
    description: Optional[str]
    # Address for a payer who has paid, authorized or received a reference. Without cancelUrl it serves every
    # payer. At most 2048 characters
    returnUrl: Optional[str]
    # Address for a payer who gave up, was refused or came too late. Without returnUrl it serves every payer. At
    # most 2048 characters
    cancelUrl: Optional[str]
    # webframe: after a refused push its payer may go on by payment reference, on the same page
    allowReferenceFallback: Optional[bool]
    # webframe: the ways its page offers, in this order; absent: `checkoutMethods` of the merchant
    methods: Optional[List[Literal['push', 'qrcode', 'reference']]]
    # The payer’s tax number (NIF) for an invoice. It returns with the money. At most 64 characters
    documentNumber: Optional[str]
    expiresInMinutes: Optional[int]
    # capture: the internalId of the authorization. At most 64 characters
    authorizationId: Optional[str]
    # Case-insensitive: SMALL, MEDIUM, LARGE, EXTRA_LARGE
    qrSize: Optional[str]
    # Case-insensitive: STATIC or DYNAMIC
    qrType: Optional[str]
    maxTransactions: Optional[int]
    # qrcode: ISO 8601, default 24 hours ahead; a date alone is its last moment in Luanda
    endDate: Optional[str]
    # Yours; comes back as customMetadata. No secrets.
    custom: Optional[Dict[str, Any]]



class PprCreationMetadata(TypedDict, total=False):
    # Case-insensitive: Dynamic or Charging
    referenceType: Optional[str]
    # ISO 8601. Default: Dynamic one month ahead, Charging the end of 2099. A date alone is its last moment in
    # Luanda
    expiryDate: Optional[str]
    # At most 4000 characters
    description: Optional[str]
    # At most 320 characters
    customerEmail: Optional[str]
    # At most 320 characters
    customerName: Optional[str]
    # At most 64 characters
    customerTelephone: Optional[str]
    # At most 64 characters
    documentNumber: Optional[str]
    # Address for a payer who has paid, authorized or received a reference. Without cancelUrl it serves every
    # payer. At most 2048 characters
    returnUrl: Optional[str]
    # Address for a payer who gave up, was refused or came too late. Without returnUrl it serves every payer. At
    # most 2048 characters
    cancelUrl: Optional[str]
    # Yours; comes back as customMetadata. No secrets.
    custom: Optional[Dict[str, Any]]



class FieldFault(TypedDict):
    pointer: str
    code: str
    message: str



class MatchingBankLine(TypedDict):
    line: int
    date: str
    amount: Amount
    description: str



class ProfileMerchant(TypedDict):
    merchantId: str
    name: str
    role: Literal['Viewer', 'Cashier', 'Developer', 'Administrator', 'Owner']
    roleId: str
    createdAt: str



class Customer(TypedDict):
    email: Optional[str]
    name: Optional[str]
    telephone: Optional[str]



class PaymentFailure(TypedDict):
    code: str
    message: str



class Transaction(TypedDict):
    id: str
    amount: str
    currency: str
    status: str
    occurredAt: str
    late: bool
    terminalId: Optional[str]
    clearingPeriod: Optional[str]
    transactionNumber: Optional[str]



class QrCode(TypedDict):
    # Null where the provider draws the code and tells only its picture
    content: Optional[str]
    svg: str
    # Opens Multicaixa Express with the code, on the phone it is on
    deeplink: Optional[str]



class PaymentSum(TypedDict):
    currency: str
    payments: int
    received: str
    refunded: str
    net: str



class PaymentMethod(TypedDict):
    method: Literal['push', 'qrcode', 'reference']
    # True if a payment by this method would be accepted now
    canCharge: bool
    # Problem codes that refuse a payment, such as `gpo_id_required`; empty: it can be charged
    obstacles: List[str]
    # True if `checkoutMethods` of the merchant has this method
    isOffered: bool



class ReplacementOutlookPush(TypedDict):
    phoneNumber: str
    sentAt: str
    expiresAt: str



class RefundableTransaction(TypedDict):
    transactionId: str
    # Major units: what is left of it, neither given back nor on its way
    amount: str
    currency: str
    occurredAt: str
    # part: any amount; whole: all of it at once; none: give it back yourself, with `method: "manual"`
    byRail: Literal['none', 'whole', 'part']



class SummaryTaken(TypedDict):
    # Major units
    amount: str
    # Number of transactions
    count: int



class SummaryReturned(TypedDict):
    amount: str



class SummaryHour(TypedDict):
    # 0 to 23, in Luanda
    hour: int
    # Major units
    amount: str
    # Number of transactions
    count: int



class SummaryPayments(TypedDict):
    created: int
    # Now `Paid`, `Authorized` or `Captured`
    succeeded: int
    # Not final yet
    open: int
    # Succeeded divided by final payments, 0 to 1. `null` without final payments
    successRate: Optional[float]



class SummaryFailure(TypedDict):
    failureCode: Literal['customer_refused', 'insufficient_funds', 'limit_exceeded', 'number_not_active', 'timed_out', 'terminal_closed', 'issuer_refused', 'rail_unavailable', 'acquirer_setup', 'expired', 'canceled']
    count: int



SummaryWeek = TypedDict(
    'SummaryWeek',
    {
        'from': "str",
        'taken': "SummaryTaken",
    },
    total=False,
)



SummaryLastWeek = TypedDict(
    'SummaryLastWeek',
    {
        'from': "str",
        'taken': "SummaryTaken",
        # Up to the same time of that week
        'soFar': "SummaryTaken",
    },
    total=False,
)



class SummaryAttention(TypedDict):
    kind: Literal['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money', 'settlement_differs', 'payment_stuck', 'endpoint_failing']
    count: int



class RailAccountName(TypedDict):
    # Id of one of your rail accounts, or of the gateway’s account
    id: str
    label: str



class DayMethod(TypedDict):
    currency: str
    # Movements
    count: int
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail
    refundedByHand: str
    # The payment’s method
    method: str



class DayCashier(TypedDict):
    currency: str
    # Movements
    count: int
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail
    refundedByHand: str
    # A payment counts for the creator, a refund for the person who refunded
    cashier: DayCashierCashier



class DayShift(TypedDict):
    currency: str
    # Movements
    count: int
    taken: str
    # Fees that the rail reports
    fees: str
    # Refunds by the rail
    refunded: str
    # Refunds outside of the rail
    refundedByHand: str
    # A payment counts for the creator, a refund for the person who refunded
    cashier: DayCashierCashier
    # The shift that counts these movements
    shift: Optional[DayShiftShift]
    # `after_close`: the money arrived after the close of its shift, and counts in no shift
    timing: Literal['in_shift', 'after_close', 'no_shift']



class ChangeAfterClose(TypedDict):
    # Movements recorded since
    count: int
    expectedCreditAtClose: str



class SettlementReason(TypedDict):
    # `next_period`: the bank credited it with another period. `refund`: only one side counts the refund. `fee`:
    # the difference is so small that it may be a fee. `not_at_rail`: the rail may not have this movement.
    # `not_here`: the gateway knows no movement of that amount, so the rail has money that the gateway lacks
    code: Literal['next_period', 'refund', 'fee', 'not_at_rail', 'not_here']
    # Movement with the amount of the difference
    movementId: Optional[str]
    paymentId: Optional[str]
    clearingPeriod: Optional[str]



class StatementReportCounts(TypedDict):
    credited: int
    known: int
    unclear: int
    aside: int



class StatementReportSettlement(TypedDict):
    id: str
    day: str
    clearingPeriod: str
    account: RailAccountName
    currency: str
    # Expected credit less the credits before this file
    missing: str



class StatementLineCredit(TypedDict):
    settlementId: str
    amount: str



class Cashier(TypedDict):
    id: str
    name: str



class ShiftTaken(TypedDict):
    # `page`: a payment page that the payer opened
    method: Literal['push', 'qrcode', 'reference', 'page', 'capture']
    count: int
    currency: str
    amount: str
    fees: str



class ShiftRefunded(TypedDict):
    # `page`: a payment page that the payer opened
    method: Literal['push', 'qrcode', 'reference', 'page', 'capture']
    count: int
    currency: str
    amount: str
    # The part that was refunded another way
    manual: str



class ShiftTotals(TypedDict):
    taken: str
    refunded: str
    net: str



class ShiftCanceled(TypedDict):
    count: int
    amount: str



ShiftCash = TypedDict(
    'ShiftCash',
    {
        'opening': "str",
        'sales': "str",
        'in': "str",
        'out': "str",
        # opening + sales + in − out
        'expected': "str",
        # Counted at the close
        'counted': "Optional[str]",
        # counted − expected
        'difference': "Optional[str]",
    },
    total=False,
)



class LoggedFault(TypedDict):
    pointer: str
    code: str



class RevokeAnswerClient(TypedDict):
    clientId: str
    name: str
    scopes: List[str]
    # Revoked by `revokeClients=true`
    status: Literal['Active', 'Revoked']



class AuditEntryActor(TypedDict):
    kind: Literal['user', 'client', 'operator', 'system']
    id: str
    # The person’s e-mail address, or the client’s name
    name: Optional[str]



class NotificationObjecto(TypedDict):
    tipo: Literal['payment', 'link', 'settlement', 'invoice', 'railAccount', 'callback', 'webhook', 'terminal', 'sms', 'member', 'client', 'reference']
    id: Optional[str]



class NotificationAutor(TypedDict):
    # `user`, `client`, `operator` or `system`
    tipo: str
    nome: Optional[str]
    # True if you made the change yourself
    proprio: bool



class PersonalDataSubject(TypedDict, total=False):
    phone: str
    email: str



class PersonalDataColumn(TypedDict):
    purpose: str
    kept: str



class PersonalDataHeld(TypedDict):
    table: str
    row: Dict[str, Any]



class ErasureWaitingFor(TypedDict):
    kind: Literal['payment', 'sms', 'mail', 'rail_message']
    id: str



SubscriptionNext = TypedDict(
    'SubscriptionNext',
    {
        'plan': "Plan",
        # The month in which it comes into force
        'from': "str",
    },
    total=False,
)



class UsageMonth(TypedDict):
    day: str
    # Payments received. Each transaction of a reference or QR code counts
    payments: int
    gpo: int
    ppr: int
    amounts: List[UsageMonthAmount]
    # Refunds made, through the provider or by hand. They do not reduce the payments
    refunds: UsageMonthRefunds



class UsageTotals(TypedDict):
    # Payments received. Each transaction of a reference or QR code counts
    payments: int
    gpo: int
    ppr: int
    amounts: List[UsageMonthAmount]
    # Refunds made, through the provider or by hand. They do not reduce the payments
    refunds: UsageMonthRefunds



class InvoiceIssuer(TypedDict):
    name: str
    taxId: Optional[str]
    address: Optional[str]



class InvoicePayment(TypedDict):
    # Account that receives the payment. Null: ask the operator how to pay
    iban: Optional[str]
    # Holder of the account
    holder: Optional[str]
    # Reference to write in the transfer: the number of the statement
    reference: str
    # Last day to pay in Luanda
    dueOn: Optional[str]
    # Note of the operator about the payment
    note: Optional[str]
    # Contact of the operator
    contact: Optional[str]



class InvoiceLine(TypedDict):
    kind: Literal['subscription', 'payments']
    description: str
    quantity: int
    unitPrice: str
    amount: str



class SmsSendingPreviewExemplo(TypedDict):
    # E.164
    numeroDestino: str
    conteudo: str



class ReferenceSmsPreviewMensagem(TypedDict):
    reference: str
    customerName: Optional[str]
    # E.164
    numeroDestino: str
    conteudo: str
    partes: int



class FormFieldPart(TypedDict, total=False):
    type: str
    enum: List[str]



class RailAccountCapabilities(TypedDict):
    kind: Literal['gpo', 'ppr', 'sms']



class CashierListClient(TypedDict):
    id: str
    name: str



class PaymentHistoryEntry(TypedDict):
    id: str
    type: str
    status: Optional[str]
    occurredAt: str
    details: Dict[str, Any]
    # The person or client whose request caused the event, with the current name
    actor: Optional[PaymentHistoryEntryActor]



class ReferenceHistoryEntry(TypedDict):
    id: str
    # payment.* and reference.*
    type: str
    status: Optional[str]
    # Of money received
    amount: Optional[str]
    occurredAt: str
    details: Dict[str, Any]



class _StatementLineChoice(TypedDict):
    line: int


class StatementLineChoice(_StatementLineChoice, total=False):
    # The settlement that the line belongs to
    settlementId: str
    # The line is no credit of ours
    aside: Literal[True]



class _AddRailAccountAppypay(TypedDict):
    connector: Literal['appypay']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['gpo', 'ppr']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountAppypaySettings
    secrets: AddRailAccountAppypaySecrets


class AddRailAccountAppypay(_AddRailAccountAppypay, total=False):
    # Default: active
    status: Literal['active', 'draining', 'disabled']



class _AddRailAccountProxypay(TypedDict):
    connector: Literal['proxypay']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['ppr']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountProxypaySettings
    secrets: AddRailAccountProxypaySecrets


class AddRailAccountProxypay(_AddRailAccountProxypay, total=False):
    # Default: active
    status: Literal['active', 'draining', 'disabled']



class _AddRailAccountOpg(TypedDict):
    connector: Literal['opg']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['gpo']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountOpgSettings
    secrets: AddRailAccountOpgSecrets


class AddRailAccountOpg(_AddRailAccountOpg, total=False):
    # Default: active
    status: Literal['active', 'draining', 'disabled']



class _AddRailAccountKambasms(TypedDict):
    connector: Literal['kambasms']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['sms']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountKambasmsSettings
    secrets: AddRailAccountKambasmsSecrets


class AddRailAccountKambasms(_AddRailAccountKambasms, total=False):
    # Default: active
    status: Literal['active', 'draining', 'disabled']



class _AddRailAccountOmbala(TypedDict):
    connector: Literal['ombala']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['sms']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountOmbalaSettings
    secrets: AddRailAccountOmbalaSecrets


class AddRailAccountOmbala(_AddRailAccountOmbala, total=False):
    # Default: active
    status: Literal['active', 'draining', 'disabled']



class _ChangeRailAccountAppypay(TypedDict):
    connector: Literal['appypay']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['gpo', 'ppr']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountAppypaySettings


class ChangeRailAccountAppypay(_ChangeRailAccountAppypay, total=False):
    # Absent: unchanged
    secrets: AddRailAccountAppypaySecrets
    # `draining`: the account takes no new work. Absent: unchanged
    status: Literal['active', 'draining', 'disabled']



class _ChangeRailAccountProxypay(TypedDict):
    connector: Literal['proxypay']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['ppr']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountProxypaySettings


class ChangeRailAccountProxypay(_ChangeRailAccountProxypay, total=False):
    # Absent: unchanged
    secrets: AddRailAccountProxypaySecrets
    # `draining`: the account takes no new work. Absent: unchanged
    status: Literal['active', 'draining', 'disabled']



class _ChangeRailAccountOpg(TypedDict):
    connector: Literal['opg']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['gpo']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountOpgSettings


class ChangeRailAccountOpg(_ChangeRailAccountOpg, total=False):
    # Absent: unchanged
    secrets: AddRailAccountOpgSecrets
    # `draining`: the account takes no new work. Absent: unchanged
    status: Literal['active', 'draining', 'disabled']



class _ChangeRailAccountKambasms(TypedDict):
    connector: Literal['kambasms']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['sms']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountKambasmsSettings


class ChangeRailAccountKambasms(_ChangeRailAccountKambasms, total=False):
    # Absent: unchanged
    secrets: AddRailAccountKambasmsSecrets
    # `draining`: the account takes no new work. Absent: unchanged
    status: Literal['active', 'draining', 'disabled']



class _ChangeRailAccountOmbala(TypedDict):
    connector: Literal['ombala']
    # `gpo`: push and QR code; `ppr`: reference; `sms`
    kind: Literal['sms']
    # A name for people, shown in refusals, lists and the history. One line, without control characters or
    # changes of the text’s direction, 1 to 60 characters
    label: str
    # `test` in the sandbox, `live` in production
    environment: Literal['test', 'live']
    # The account with the lowest number is chosen first
    priority: int
    settings: AddRailAccountOmbalaSettings


class ChangeRailAccountOmbala(_ChangeRailAccountOmbala, total=False):
    # Absent: unchanged
    secrets: AddRailAccountOmbalaSecrets
    # `draining`: the account takes no new work. Absent: unchanged
    status: Literal['active', 'draining', 'disabled']



class DayCashierCashier(TypedDict):
    # `payer`: a link, or the page of a shop
    kind: Literal['user', 'client', 'payer']
    id: Optional[str]
    # Null for payers, and for a removed person
    name: Optional[str]



class DayShiftShift(TypedDict):
    id: str
    openedAt: str
    closedAt: Optional[str]
    # True if the shift also has movements of other days, which are not in this row
    isPartial: bool



class UsageMonthAmount(TypedDict):
    currency: str
    amount: str



class UsageMonthRefunds(TypedDict):
    count: int
    amounts: List[UsageMonthAmount]



class PaymentHistoryEntryActor(TypedDict):
    kind: Literal['user', 'client']
    id: str
    name: Optional[str]



class _AddRailAccountAppypaySettings(TypedDict):
    # The UUID for which tokens are issued
    resource: str
    # The payment methods of the contract: gpo or umm for an account of kind gpo, ref for one of kind ppr
    methods: AddRailAccountAppypaySettingsMethods


class AddRailAccountAppypaySettings(_AddRailAccountAppypaySettings, total=False):
    # Address of the API, with its version; absent: AppyPay’s own of the account’s environment. Without user,
    # query and fragment, at most 2048 characters
    baseUrl: str
    # Address at which tokens are fetched; absent: AppyPay’s own of the account’s environment. Without user,
    # query and fragment, at most 2048 characters
    tokenUrl: str



class _AddRailAccountAppypaySecrets(TypedDict):
    # Client id. 1 to 256 printable characters without spaces
    clientId: str
    # Client secret. 1 to 256 printable characters without spaces
    clientSecret: str


class AddRailAccountAppypaySecrets(_AddRailAccountAppypaySecrets, total=False):
    # The fixed header of AppyPay’s notifications, as configured in the portal
    notificationHeader: AddRailAccountAppypaySecretsNotificationHeader



class _AddRailAccountProxypaySettings(TypedDict):
    # The five digits under which payers find the merchant
    entity: str
    # True if no other system registers references of this entity: the gateway then chooses their digits. False:
    # ProxyPay reserves the digits
    isExclusive: bool


class AddRailAccountProxypaySettings(_AddRailAccountProxypaySettings, total=False):
    # Address of ProxyPay; default: its own host of the environment. Without user, query and fragment, at most
    # 2048 characters
    baseUrl: str



class AddRailAccountProxypaySecrets(TypedDict):
    # The API key of the account at ProxyPay; it also verifies ProxyPay’s notifications. Letters, digits and
    # signs without spaces, at most 512 characters
    apiKey: str



class _AddRailAccountOpgSettings(TypedDict):
    # `proxypay` for ProxyPay OPG, `vpos` for vPOS and Positiva
    dialect: Literal['proxypay', 'vpos']
    # The number of the terminal (POS) that the bank assigned: an integer, or its digits as text
    posId: Union[int, str]


class AddRailAccountOpgSettings(_AddRailAccountOpgSettings, total=False):
    # Base address of the API; default: the provider’s own. For Positiva: the address that Positiva gives.
    # Without user, query and fragment, at most 2048 characters
    baseUrl: str



class AddRailAccountOpgSecrets(TypedDict):
    # The bearer token that the provider issued for this terminal, without the word Bearer. 1 to 2048 printable
    # characters without spaces
    token: str



class _AddRailAccountKambasmsSettings(TypedDict):
    # The sender name that KambaSMS approved; used for messages without a sender of their own. 1 to 11 letters
    # and digits, one letter at least
    sender: str


class AddRailAccountKambasmsSettings(_AddRailAccountKambasmsSettings, total=False):
    # Address of the API; default: https://api.kambasms.ao. Without user, query and fragment, at most 2048
    # characters
    baseUrl: str



class AddRailAccountKambasmsSecrets(TypedDict):
    # The API key (x-api-key); a test key sends no real messages. 8 to 256 printable characters without spaces
    apiKey: str



class _AddRailAccountOmbalaSettings(TypedDict):
    # The sender name that the provider approved; used for messages without a sender of their own. 1 to 11
    # letters and digits, one letter at least
    sender: str


class AddRailAccountOmbalaSettings(_AddRailAccountOmbalaSettings, total=False):
    # Address of the API; default: https://api.useombala.ao/v1; for GoSMS: https://api.go-sms.co.ao/v1. Without
    # user, query and fragment, at most 2048 characters
    baseUrl: str



class AddRailAccountOmbalaSecrets(TypedDict):
    # The token of the account, without the word Token before it. 8 to 256 printable characters without spaces
    apiKey: str



class AddRailAccountAppypaySettingsMethods(TypedDict, total=False):
    # The portal’s key of Multicaixa Express and QR codes: GPO_ and a UUID. The portal’s key, GPO_ and a UUID
    gpo: str
    # The portal’s key of payment by reference: REF_ and a UUID. The portal’s key, REF_ and a UUID
    ref: str
    # The portal’s key of Unitel Money: UMM_ and a UUID. The portal’s key, UMM_ and a UUID
    umm: str



class AddRailAccountAppypaySecretsNotificationHeader(TypedDict):
    # Name of the header, such as X-Api-Key or Authorization. 1 to 64 letters, digits and hyphens
    name: str
    # Its complete value; for Basic authentication, including the word Basic. 8 to 512 printable characters
    value: str



PaymentsListQuery = TypedDict(
    'PaymentsListQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts
        # from there. At most 100 characters
        'after': "str",
        # Only payments in this status
        'status': "str",
        # GPO or PPR
        'paymentType': "str",
        # Exactly this reference. At most 15 characters
        'reference': "str",
        # Exactly this amount, in major units
        'amount': "Amount",
        # Of the amount; AOA where none is given. Alone: payments in this currency. Three capital letters, such
        # as `AOA`
        'currency': "str",
        # Asked at this number, in any form people write
        'phone': "str",
        # Payments with this text in a reference, phone number, name, description, link title, searchable custom
        # metadata or transaction id, with this amount in AOA, or with this beginning of `internalId`. One line,
        # without control characters or changes of the text’s direction, 1 to 100 characters
        'search': "str",
        # Only payments of this method
        'paymentMethod': "str",
        # `true`: only payments of payment links; `false`: only others
        'link': "str",
        # Only payments that this person charged
        'createdBy': "str",
        # Only payments of which a person still has to decide about this flag
        'attention': "str",
        # Only payments whose money, or reservation, came after their end
        'late': "str",
        # Exactly this value, as text, under a key of the merchant’s `searchKeys`. `customMetadata.order=7` is
        # the same as `customMetadata[order]=7`
        'customMetadata': "Dict[str, str]",
        # Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



PaymentsSumQuery = TypedDict(
    'PaymentsSumQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts
        # from there. At most 100 characters
        'after': "str",
        # Only payments in this status
        'status': "str",
        # GPO or PPR
        'paymentType': "str",
        # Exactly this reference. At most 15 characters
        'reference': "str",
        # Exactly this amount, in major units
        'amount': "Amount",
        # Of the amount; AOA where none is given. Alone: payments in this currency. Three capital letters, such
        # as `AOA`
        'currency': "str",
        # Asked at this number, in any form people write
        'phone': "str",
        # Payments with this text in a reference, phone number, name, description, link title, searchable custom
        # metadata or transaction id, with this amount in AOA, or with this beginning of `internalId`. One line,
        # without control characters or changes of the text’s direction, 1 to 100 characters
        'search': "str",
        # Only payments of this method
        'paymentMethod': "str",
        # `true`: only payments of payment links; `false`: only others
        'link': "str",
        # Only payments that this person charged
        'createdBy': "str",
        # Only payments of which a person still has to decide about this flag
        'attention': "str",
        # Only payments whose money, or reservation, came after their end
        'late': "str",
        # Exactly this value, as text, under a key of the merchant’s `searchKeys`. `customMetadata.order=7` is
        # the same as `customMetadata[order]=7`
        'customMetadata': "Dict[str, str]",
        # Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



PaymentsListRefundsQuery = TypedDict(
    'PaymentsListRefundsQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts
        # from there. At most 100 characters
        'after': "str",
        # Only refunds in this status
        'status': "str",
        # rail or manual
        'method': "str",
        # Exactly this reference of yours. At most 64 characters
        'reference': "str",
        # Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



RefundsListQuery = TypedDict(
    'RefundsListQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts
        # from there. At most 100 characters
        'after': "str",
        # Only refunds in this status
        'status': "str",
        # rail or manual
        'method': "str",
        # Exactly this reference of yours. At most 64 characters
        'reference': "str",
        # Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



class ReferencesListQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int
    # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts from
    # there. At most 100 characters
    after: str
    # Only references of this type
    type: str
    # Only references of this referenceStatus
    status: str
    # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times
    # of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
    dialect: str



class BooksGetSummaryQuery(TypedDict, total=False):
    # Day in Luanda, such as `2026-11-30`. Default: today
    day: str
    # Three capital letters, such as `AOA`
    currency: str



BooksListDaysQuery = TypedDict(
    'BooksListDaysQuery',
    {
        # `next` of the previous page. Absent: the newest days. At most 100 characters
        'after': "str",
        # Days at most
        'limit': "int",
        # First day, such as 2026-11-01
        'from': "str",
        # Last day
        'to': "str",
        'status': "Literal['differs', 'open', 'waiting', 'explained', 'balanced']",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



TransactionsListQuery = TypedDict(
    'TransactionsListQuery',
    {
        # `next` of the previous page. Absent: the newest rows. At most 100 characters
        'after': "str",
        # Movements at most
        'limit': "int",
        # Occurred at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Occurred before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
        # Clearing period. Unique only with `account`, because each rail has its own periods. 1 to 100
        # characters
        'period': "str",
        # `account.id` of a movement. 1 to 100 characters
        'account': "str",
        'type': "Literal['payment', 'capture', 'scan', 'reference', 'refund', 'manual']",
        # The payment’s `reference`. 1 to 100 characters
        'reference': "str",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



SettlementsListQuery = TypedDict(
    'SettlementsListQuery',
    {
        # `next` of the previous page. Absent: the newest rows. At most 100 characters
        'after': "str",
        # Settlements at most
        'limit': "int",
        # First day, such as 2026-11-01
        'from': "str",
        # Last day
        'to': "str",
        # `account.id`. 1 to 100 characters
        'account': "str",
        # The rail’s name of the period. 1 to 100 characters
        'period': "str",
        'status': "Literal['open', 'balanced', 'differs', 'explained']",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



class SettlementsGetQuery(TypedDict, total=False):
    # `next` of the previous page. Absent: the newest rows. At most 100 characters
    after: str
    # Movements at most
    limit: int
    # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times
    # of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
    dialect: str



ShiftsListShiftsQuery = TypedDict(
    'ShiftsListShiftsQuery',
    {
        # `next` of the previous page. Absent: the newest rows. At most 100 characters
        'after': "str",
        # Shifts at most
        'limit': "int",
        # Opened at or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Opened before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
        # Only shifts of this person. A UUID of 36 characters
        'user': "str",
        'status': "str",
        # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma,
        # times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
        'dialect': "str",
    },
    total=False,
)



class TerminalsOpenQuery(TypedDict, total=False):
    # Id of the approving supervisor; required if the terminal asks for approval. 1 to 64 visible ASCII
    # characters without spaces
    supervisorId: str



class TerminalsCloseQuery(TypedDict, total=False):
    # Id of the approving supervisor; required if the terminal asks for approval. 1 to 64 visible ASCII
    # characters without spaces
    supervisorId: str



class EventsListQuery(TypedDict, total=False):
    # Only events after this cursor (`next`, or an event’s `cursor`). `now`: only new events. Absent: all events
    after: str
    # The most events of a page
    limit: int



CallbacksListQuery = TypedDict(
    'CallbacksListQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # Only deliveries with this status
        'status': "Literal['Pending', 'Delivered', 'Abandoned', 'Skipped']",
        # The payment’s `internalId`. A UUID of 36 characters
        'paymentId': "str",
        # Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



class WebhooksListQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int



WebhooksListDeliveriesQuery = TypedDict(
    'WebhooksListDeliveriesQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # Only deliveries with this status
        'status': "Literal['Pending', 'Delivered', 'Abandoned', 'Skipped']",
        # The payment’s `internalId`. A UUID of 36 characters
        'paymentId': "str",
        # Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'from': "str",
        # Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
        # `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



MerchantsListRequestErrorsQuery = TypedDict(
    'MerchantsListRequestErrorsQuery',
    {
        # `next` of the previous page. Absent: the newest rows. At most 100 characters
        'after': "str",
        # Maximum number of refusals
        'limit': "int",
        # Status of the answer, such as `400`. A status such as `400`, or `201` for warnings
        'status': "str",
        # Code of the problem, such as `validation_failed`. 1 to 64 characters
        'code': "str",
        # `X-Request-Id` of the request. 1 to 128 characters
        'requestId': "str",
        # At or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



MerchantsListAuditQuery = TypedDict(
    'MerchantsListAuditQuery',
    {
        # The number of the page, from 1
        'page': "int",
        # Items on a page, at most 100
        'pageSize': "int",
        # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts
        # from there. At most 100 characters
        'after': "str",
        # Such as `client.created`. At most 64 characters
        'action': "str",
        # `actor.id` of the entries: of a person or an API client. At most 64 characters
        'actorId': "str",
        # At or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'from': "str",
        # Before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z`
        'to': "str",
    },
    total=False,
)



class ClientsListQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int



class PeopleListMembersQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int



class PeopleRevokeAccessQuery(TypedDict, total=False):
    # `true`: also revoke the clients whose secret the person knows
    revokeClients: Literal['true', 'false']



class NotificationsListQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts from
    # there. At most 100 characters
    after: str
    # Items a page, at most 100
    pageSize: int
    # 0 = Não Lido, 1 = Lido. Default: all
    estado: Literal[0, 1]



BillingGetUsageQuery = TypedDict(
    'BillingGetUsageQuery',
    {
        # First day in Luanda, such as 2026-11-01. Default: the first of the month of `to`
        'from': "str",
        # Last day, at most 366 days with `from`. Default: today
        'to': "str",
    },
    total=False,
)



class BillingListInvoicesQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int



class SmsListContactsQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int
    # Only contacts with this number, in any usual format. 9 to 64 characters
    telefone: str
    # Only contacts whose name contains this text; case is ignored. At most 100 characters
    nome: str
    # Only contacts with this text in the name, or with these digits in the number; accents are ignored. One
    # line, without control characters or changes of the text’s direction, 1 to 100 characters
    pesquisa: str



class SmsListContactListsQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class SmsGetContactListQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class SmsListMovementsQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int
    # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts from
    # there. At most 100 characters
    after: str
    # Only movements of this kind
    tipo: Literal['Credito', 'Debito', 'Reembolso']



class SmsListTemplatesQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class _SmsSearchTemplatesQuery(TypedDict):
    # Day of the month, in Luanda
    dia: int
    # Number of the month
    mes: int
    # Year, in four digits
    ano: int


class SmsSearchTemplatesQuery(_SmsSearchTemplatesQuery, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class SmsListSentQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int
    # Only messages from this day in Luanda on, such as 2026-11-30
    desde: str
    # Only messages up to the end of this day in Luanda
    ate: str
    # Only messages of this batch. A UUID of 36 characters
    batchId: str
    # Only messages in this status
    estado: Literal['Pendente', 'Enviado', 'Entregue', 'Falhado']
    # Only messages to this number, in any usual format. 9 to 64 characters
    numeroDestino: str
    # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times
    # of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
    dialect: str



class _SmsSearchSentQuery(TypedDict):
    # Day of the month, in Luanda
    dia: int
    # Number of the month
    mes: int
    # Year, in four digits
    ano: int


class SmsSearchSentQuery(_SmsSearchSentQuery, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class _SmsSearchSentInRangeQuery(TypedDict):
    # Day of the month, in Luanda
    diaInicio: int
    # Number of the month
    mesInicio: int
    # Year, in four digits
    anoInicio: int
    # Day of the month, in Luanda
    diaFim: int
    # Number of the month
    mesFim: int
    # Year, in four digits
    anoFim: int


class SmsSearchSentInRangeQuery(_SmsSearchSentInRangeQuery, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int



class SmsListScheduledQuery(TypedDict, total=False):
    # Page, from 1
    pageNumber: int
    # Items per page, at most 100
    pageSize: int
    estado: str



class SmsListOptOutsQuery(TypedDict, total=False):
    # `next` of the previous page. Absent: the newest rows. At most 100 characters
    after: str
    # Refusals at most
    limit: int
    # Only this number, in any usual format. 9 to 64 characters
    phone: str
    # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times
    # of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
    dialect: str



class LinksListQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int
    # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts from
    # there. At most 100 characters
    after: str
    # Only links in this status
    status: str
    # Only links whose title, or end of the address, has this text. One line, without control characters or
    # changes of the text’s direction, 1 to 100 characters
    search: str



class LinksListPaymentsQuery(TypedDict, total=False):
    # The number of the page, from 1
    page: int
    # Items on a page, at most 100
    pageSize: int
    # `next` of a page: returns the rows after that page, even if rows were added since. `page` then counts from
    # there. At most 100 characters
    after: str
    # Paid; Open: can still be paid; Released: failed, expired or canceled
    status: str
    # For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times
    # of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM
    dialect: str



class LinksGetQrPngQuery(TypedDict, total=False):
    # Width and height in pixels
    size: int



class ArticlesListArticlesQuery(TypedDict, total=False):
    # Only active, or only hidden articles
    isActive: Literal['true', 'false']



CreatePayment = Union[GpoCreation, PprCreation]


AddRailAccount = Union[AddRailAccountAppypay, AddRailAccountProxypay, AddRailAccountOpg, AddRailAccountKambasms, AddRailAccountOmbala]


ChangeRailAccount = Union[ChangeRailAccountAppypay, ChangeRailAccountProxypay, ChangeRailAccountOpg, ChangeRailAccountKambasms, ChangeRailAccountOmbala]
