"""The operations of the API, by group."""
# Generated from /openapi.json by `npm run client`: do not edit by hand.

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from . import models

if TYPE_CHECKING:
    from .client import Balcao, Listing

#: The fields that are amounts of money.
AMOUNTS = frozenset(
    (
        'amount',
        'amountAuthorized',
        'amountCaptured',
        'amountDue',
        'amountPaid',
        'amountRefunded',
        'awaitedCredit',
        'bankFees',
        'cashierRefundLimit',
        'counted',
        'countedCash',
        'credited',
        'difference',
        'expected',
        'expectedCredit',
        'expectedCreditAtClose',
        'explainedDifference',
        'fee',
        'fees',
        'gross',
        'in',
        'manual',
        'maxAmount',
        'minAmount',
        'missing',
        'montantePago',
        'monthlyFee',
        'net',
        'opening',
        'openingCash',
        'ourAmount',
        'out',
        'paymentFee',
        'price',
        'received',
        'refunded',
        'refundedByHand',
        'sales',
        'subtotal',
        'taken',
        'tax',
        'total',
        'unexplainedDifference',
        'unitPrice',
    )
)


class Group:
    def __init__(self, client: Balcao) -> None:
        self._call = client.call


class Payments(Group):
    def create(
        self,
        body: models.CreatePayment,
        *,
        idempotency_key: Optional[str] = None,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedPayment:
        """Create a payment"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments',
            'kp',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def list(
        self,
        query: Optional[models.PaymentsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedPayment, models.PaymentPage]:
        """List payments, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def sum(
        self,
        query: Optional[models.PaymentsSumQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PaymentSums:
        """Sum the money of the payments that a list shows"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/sums',
            '',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_cashiers(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CashierList:
        """List the people who charged, and the API clients"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/cashiers',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        payment_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Payment:
        """Read one payment"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}',
            '',
            (payment_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_history(
        self,
        payment_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PaymentHistory:
        """History of a payment, oldest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}/events',
            '',
            (payment_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_code(
        self,
        payment_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """The QR code of a payment as an image"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}/qrcode',
            '',
            (payment_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def sync(
        self,
        payment_id: str,
        *,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PaymentMessage:
        """Refresh a payment from its provider"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/sync',
            'p',
            (payment_id,),
            None,
            None,
            {'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def cancel(
        self,
        internal_payment_id: str,
        *,
        idempotency_key: Optional[str] = None,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PaymentMessage:
        """Cancel an authorization, or withdraw a pending web frame or QR code"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/cancel',
            'kp',
            (internal_payment_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def resolve(
        self,
        internal_payment_id: str,
        body: models.ResolvePayment,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Payment:
        """Resolve the odd money of a payment"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/resolve',
            'k',
            (internal_payment_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get_methods(
        self,
        merchant_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PaymentMethods:
        """Read which payment methods your merchant can charge now"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/payment-methods',
            '',
            (merchant_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_replacement(
        self,
        payment_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ReplacementOutlook:
        """Read whether a payment can be charged in another way"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}/replacement',
            '',
            (payment_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def replace(
        self,
        payment_id: str,
        body: models.ReplacePayment,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedPayment:
        """Charge the money of an unpaid payment in another way"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/replacement',
            'k',
            (payment_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_refunds(
        self,
        internal_payment_id: str,
        query: Optional[models.PaymentsListRefundsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Refund, models.RefundPage]:
        """Refunds of a payment, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}/refunds',
            'l',
            (internal_payment_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def send_receipt(
        self,
        payment_id: str,
        body: models.SendReceipt,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SentReceipt:
        """Send the receipt of a payment"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/receipt',
            'k',
            (payment_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Refunds(Group):
    def create(
        self,
        internal_payment_id: str,
        body: models.CreateRefund,
        *,
        idempotency_key: Optional[str] = None,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Refund:
        """Refund money"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/payments/{}/refunds',
            'kp',
            (internal_payment_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def listable(
        self,
        internal_payment_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Refundable:
        """Refundable money of a payment"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/payments/{}/refundable',
            '',
            (internal_payment_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list(
        self,
        query: Optional[models.RefundsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Refund, models.RefundPage]:
        """List refunds, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/refunds',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        refund_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Refund:
        """Read one refund"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/refunds/{}',
            '',
            (refund_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def cancel(
        self,
        refund_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Refund:
        """Withdraw a refund that the rail has not got yet"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/refunds/{}/cancel',
            '',
            (refund_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def sync(
        self,
        refund_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Refund:
        """Refresh a refund from its rail"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/refunds/{}/sync',
            '',
            (refund_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class References(Group):
    def create(
        self,
        body: models.CreateReference,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PprReference:
        """Create a payment reference"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list(
        self,
        query: Optional[models.ReferencesListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.PprReference, models.PprReferencePage]:
        """List payment references, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/references/ppr',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create_legacy(
        self,
        body: models.CreateReference,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PprReference:
        """Create a payment reference under the legacy contract"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr/legacy',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def create_bulk(
        self,
        body: models.CreateReferences,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedReferences:
        """Create 1 to 500 payment references, all or none"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr/bulk',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        ppr_reference: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PprReference:
        """Read one payment reference"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/references/ppr/{}',
            '',
            (ppr_reference,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_history(
        self,
        ppr_reference: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ReferenceHistory:
        """History of a payment reference, oldest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/references/ppr/{}/history',
            '',
            (ppr_reference,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def cancel(
        self,
        ppr_reference: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PprReference:
        """Cancel a payment reference"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr/{}/cancel',
            'k',
            (ppr_reference,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def preview_sms(
        self,
        body: models.PreviewReferenceSms,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ReferenceSmsPreview:
        """Preview payment references by SMS"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr/sms/preview',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def send_sms(
        self,
        body: models.SendReferenceSms,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ReferenceSmsAcceptance:
        """Send payment references by SMS"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/references/ppr/sms',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Books(Group):
    def get_summary(
        self,
        query: Optional[models.BooksGetSummaryQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Summary:
        """A day at a glance"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/summary',
            '',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_days(
        self,
        query: Optional[models.BooksListDaysQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedDay, models.DayPage]:
        """Clearing days, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/days',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_day(
        self,
        day: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Day:
        """The close of one day"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/days/{}',
            '',
            (day,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def reverse_credit(
        self,
        settlement_id: str,
        credit_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SettlementSummary:
        """Take back a wrong credit or fee"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/settlements/{}/credits/{}/reversal',
            'k',
            (settlement_id, credit_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def explain_difference(
        self,
        settlement_id: str,
        body: models.ExplainDifference,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SettlementSummary:
        """Explain a difference and set it aside"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/settlements/{}/explanation',
            'k',
            (settlement_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def withdraw_explanation(
        self,
        settlement_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Take back the explanation of a difference"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/settlements/{}/explanation',
            'k',
            (settlement_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def import_statement(
        self,
        body: models.ImportStatement,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.StatementReport:
        """Enter the credits of a bank statement"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/bank-statements',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Transactions(Group):
    def list(
        self,
        query: Optional[models.TransactionsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Movement, models.MovementPage]:
        """Every movement of money, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/transactions',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )


class Settlements(Group):
    def list(
        self,
        query: Optional[models.SettlementsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedSettlement, models.SettlementPage]:
        """Settlements, the newest day first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/settlements',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        settlement_id: str,
        query: Optional[models.SettlementsGetQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Settlement:
        """One settlement with its movements"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/settlements/{}',
            '',
            (settlement_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def enter_credits(
        self,
        settlement_id: str,
        body: models.EnterCredits,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SettlementSummary:
        """Enter what the bank credited"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/settlements/{}/credits',
            'k',
            (settlement_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Shifts(Group):
    def open_shift(
        self,
        body: models.OpenShift,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Shift:
        """Open your shift"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/shifts',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_shifts(
        self,
        query: Optional[models.ShiftsListShiftsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Shift, models.ShiftPage]:
        """List shifts, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/shifts',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_current_shift(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CurrentShift:
        """Read your open shift"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/shifts/current',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_shift(
        self,
        shift_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Shift:
        """Read a shift"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/shifts/{}',
            '',
            (shift_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def record_cash(
        self,
        shift_id: str,
        body: models.RecordCash,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Shift:
        """Record cash of an open shift"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/shifts/{}/cash',
            'k',
            (shift_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def close_shift(
        self,
        shift_id: str,
        body: models.CloseShift,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Shift:
        """Close a shift"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/shifts/{}/close',
            'k',
            (shift_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Terminals(Group):
    def get(
        self,
        pos_id: str,
        *,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.TerminalAnswer:
        """Read the status of a GPO terminal"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/terminals/{}',
            'p',
            (pos_id,),
            None,
            None,
            {'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def open(
        self,
        pos_id: str,
        query: Optional[models.TerminalsOpenQuery] = None,
        *,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.TerminalAnswer:
        """Open a GPO terminal"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/terminals/{}/open',
            'p',
            (pos_id,),
            None,
            query,
            {'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def close(
        self,
        pos_id: str,
        query: Optional[models.TerminalsCloseQuery] = None,
        *,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.TerminalAnswer:
        """Close a GPO terminal"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/terminals/{}/close',
            'p',
            (pos_id,),
            None,
            query,
            {'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )


class Events(Group):
    def list(
        self,
        query: Optional[models.EventsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.FeedEvent, models.FeedEventPage]:
        """List events, oldest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/events',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )


class Callbacks(Group):
    def get_endpoint(
        self,
        merchant_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CallbackEndpoint:
        """Read the callback endpoint"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/callback',
            '',
            (merchant_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def set_endpoint(
        self,
        merchant_id: str,
        body: models.SetCallbackEndpoint,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CallbackEndpoint:
        """Set the callback endpoint"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/merchants/{}/callback',
            'k',
            (merchant_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def remove_endpoint(
        self,
        merchant_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Remove the callback endpoint"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/merchants/{}/callback',
            'k',
            (merchant_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list(
        self,
        query: Optional[models.CallbacksListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedDelivery, models.DeliveryPage]:
        """List callbacks, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/callbacks',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        delivery_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Delivery:
        """Read one callback with every attempt"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/callbacks/{}',
            '',
            (delivery_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def replay(
        self,
        delivery_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ListedDelivery:
        """Send one callback again"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/callbacks/{}/replay',
            'k',
            (delivery_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def replay_all(
        self,
        body: Optional[models.ReplayCallbacks] = None,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Replay:
        """Send all callbacks again that match a filter"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/callbacks/replay',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def test_endpoint(
        self,
        body: Optional[models.TestCallbackEndpoint] = None,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Delivery:
        """Send a sample callback"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/callbacks/test',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Webhooks(Group):
    def list(
        self,
        query: Optional[models.WebhooksListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Webhook, models.WebhookPage]:
        """List webhooks, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/webhooks',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create(
        self,
        body: models.CreateWebhook,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedWebhook:
        """Create a webhook"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/webhooks',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        webhook_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Webhook:
        """Read one webhook"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/webhooks/{}',
            '',
            (webhook_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def replace(
        self,
        webhook_id: str,
        body: models.CreateWebhook,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Webhook:
        """Change a webhook"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/webhooks/{}',
            'k',
            (webhook_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def remove(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Remove a webhook"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/webhooks/{}',
            'k',
            (webhook_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def rotate_secret(
        self,
        webhook_id: str,
        body: Optional[models.RotateWebhookSecret] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RotatedSecret:
        """Give a webhook a new signing secret"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/webhooks/{}/rotate-secret',
            '',
            (webhook_id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Delivery:
        """Send a sample event to a webhook"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/webhooks/{}/test',
            'k',
            (webhook_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_deliveries(
        self,
        webhook_id: str,
        query: Optional[models.WebhooksListDeliveriesQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedDelivery, models.DeliveryPage]:
        """List the deliveries of a webhook, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/webhooks/{}/deliveries',
            'l',
            (webhook_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )


class Merchants(Group):
    def create(
        self,
        body: models.CreateMerchant,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedMerchant:
        """Create a merchant"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        merchant_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Merchant:
        """Read your merchant"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}',
            '',
            (merchant_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def update(
        self,
        merchant_id: str,
        body: models.UpdateMerchant,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Merchant:
        """Change your merchant’s settings"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/merchants/{}',
            'k',
            (merchant_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_request_errors(
        self,
        query: Optional[models.MerchantsListRequestErrorsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.RequestError, models.RequestErrorPage]:
        """List refused requests of your systems, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/errors',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_audit(
        self,
        merchant_id: str,
        query: Optional[models.MerchantsListAuditQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.AuditEntry, models.AuditEntryPage]:
        """List the audit log, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/audit',
            'l',
            (merchant_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )


class Clients(Group):
    def list(
        self,
        merchant_id: str,
        query: Optional[models.ClientsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Client, models.ClientPage]:
        """List API clients, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/clients',
            'l',
            (merchant_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create(
        self,
        merchant_id: str,
        body: models.CreateClient,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreatedClient:
        """Create an API client"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants/{}/clients',
            '',
            (merchant_id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def revoke(
        self,
        merchant_id: str,
        client_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Revoke an API client"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/merchants/{}/clients/{}',
            'k',
            (merchant_id, client_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def rotate_secret(
        self,
        merchant_id: str,
        client_id: str,
        body: Optional[models.RotateClientSecret] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RotatedClient:
        """Give an API client a new secret"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants/{}/clients/{}/rotate-secret',
            '',
            (merchant_id, client_id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class People(Group):
    def list_members(
        self,
        merchant_id: str,
        query: Optional[models.PeopleListMembersQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Member, models.MemberPage]:
        """List the people with access, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/users',
            'l',
            (merchant_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def grant_access(
        self,
        merchant_id: str,
        body: models.GrantAccess,
        *,
        idempotency_key: Optional[str] = None,
        prefer: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.GrantAnswer:
        """Grant a person access"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants/{}/users',
            'kp',
            (merchant_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'prefer': prefer, 'if_match': if_match, 'timeout': timeout},
        )

    def revoke_access(
        self,
        merchant_id: str,
        user_id: str,
        query: Optional[models.PeopleRevokeAccessQuery] = None,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RevokeAnswer:
        """Revoke a person’s access"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/merchants/{}/users/{}',
            'k',
            (merchant_id, user_id,),
            None,
            query,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_roles(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RoleList:
        """List the roles that can be granted"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/roles',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class Notifications(Group):
    def list(
        self,
        query: Optional[models.NotificationsListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Notification, models.NotificationPage]:
        """List notifications, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /v1/notificacoes',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def mark_all(
        self,
        body: models.MarkAllNotifications,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Mark all unread notifications as read"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /v1/notificacoes',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def mark(
        self,
        id: str,
        body: models.MarkNotification,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Mark a notification as read or unread"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /v1/notificacoes/{}',
            '',
            (id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class Privacy(Group):
    def export_personal_data(
        self,
        body: models.PersonalDataRequest,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PersonalData:
        """Export all data of one payer or contact"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/privacy/export',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def erase_personal_data(
        self,
        body: models.PersonalDataRequest,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Erasure:
        """Erase one payer or contact"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/privacy/erase',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_erasure(
        self,
        erasure_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Erasure:
        """Read the progress of an erasure"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/privacy/erasures/{}',
            '',
            (erasure_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class Billing(Group):
    def list_plans(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.PlanList:
        """List plans, cheapest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/plans',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_subscription(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Subscription:
        """Read the current and the next plan"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/subscription',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def choose_plan(
        self,
        body: models.ChoosePlan,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Subscription:
        """Choose a plan"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/billing/subscription',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get_usage(
        self,
        query: Optional[models.BillingGetUsageQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Usage:
        """Payments received and refunds made, by day"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/usage',
            '',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_invoices(
        self,
        query: Optional[models.BillingListInvoicesQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.ListedInvoice, models.InvoicePage]:
        """List invoices, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/invoices',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_invoice(
        self,
        invoice_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Invoice:
        """Read one invoice"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/invoices/{}',
            '',
            (invoice_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_credit_note(
        self,
        credit_note_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.CreditNote:
        """Read one credit note"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/billing/credit-notes/{}',
            '',
            (credit_note_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class Sms(Group):
    def create_contact(
        self,
        body: models.CreateSmsContact,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContact:
        """Create a contact"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Contactos/CadastrarContacto',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def replace_contact(
        self,
        contacto_id: str,
        body: models.CreateSmsContact,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContact:
        """Change a contact"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/Contactos/AtualizarContacto/{}',
            'k',
            (contacto_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def remove_contact(
        self,
        contacto_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Delete a contact"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/Contactos/DeletarContacto/{}',
            'k',
            (contacto_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_contacts(
        self,
        query: Optional[models.SmsListContactsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsContact, models.SmsContactPage]:
        """List contacts, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Contactos/ListarContactos',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_contact(
        self,
        contacto_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContact:
        """Read one contact"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Contactos/ObterContactoPorId/{}',
            '',
            (contacto_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create_contact_list(
        self,
        body: models.CreateSmsContactList,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContactList:
        """Create a contact list"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Contactos/CriarListaDeContactos',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def remove_contact_list(
        self,
        lista_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Delete a contact list"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/Contactos/DeletarListaDeContactos/{}',
            'k',
            (lista_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_contact_lists(
        self,
        query: Optional[models.SmsListContactListsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsContactList, models.SmsContactListPage]:
        """List contact lists, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Contactos/ListarListasDeContactos',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_contact_list(
        self,
        lista_id: str,
        query: Optional[models.SmsGetContactListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContactListDetails:
        """Read one contact list, with a page of its contacts"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Contactos/ObterListaDeContactosPorId/{}',
            '',
            (lista_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def add_contact_to_list(
        self,
        body: models.AddSmsContactToList,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Add a contact to a list"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Contactos/AdicionarContactoALista',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def remove_contact_from_list(
        self,
        lista_id: str,
        contacto_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Remove a contact from a list"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/Contactos/RemoverContactoDaLista/{}/{}',
            'k',
            (lista_id, contacto_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def import_contacts(
        self,
        body: models.ImportSmsContacts,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsContactImport:
        """Import contacts"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Contactos/ImportarContactos',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get_account(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsMerchant:
        """Read your SMS account"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/ContaSms/ObterConta',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def update_sender(
        self,
        body: models.UpdateSmsSender,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsMerchant:
        """Set the sender and the opt-out text of your SMS"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/ContaSms/AtualizarRemetente',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get_balance(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsBalance:
        """Read the balance of SMS units"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/ContaSms/ObterSaldo',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_movements(
        self,
        query: Optional[models.SmsListMovementsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsBalanceLedgerEntry, models.SmsBalanceLedgerEntryPage]:
        """List movements of SMS units, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/ContaSms/ListarMovimentos',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create_template(
        self,
        body: models.CreateSmsTemplate,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsTemplate:
        """Create an SMS template"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/TemplatesSMS/CriarTemplate',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def update_template(
        self,
        template_id: str,
        body: models.CreateSmsTemplate,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsTemplate:
        """Change an SMS template"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/TemplatesSMS/AtualizarTemplate/{}',
            'k',
            (template_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def delete_template(
        self,
        template_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Delete an SMS template"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/TemplatesSMS/DeletarTemplate/{}',
            'k',
            (template_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get_template(
        self,
        template_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsTemplate:
        """Read one SMS template"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/TemplatesSMS/ObterTemplatesSmsPorId/{}',
            '',
            (template_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_templates(
        self,
        query: Optional[models.SmsListTemplatesQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsTemplate, models.SmsTemplatePage]:
        """List SMS templates, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/TemplatesSMS/ListarTemplates',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def search_templates(
        self,
        query: models.SmsSearchTemplatesQuery,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsTemplate, models.SmsTemplatePage]:
        """Find SMS templates created on a day"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/TemplatesSMS/pesquisarTemplateSMSporData',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_sent(
        self,
        query: Optional[models.SmsListSentQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SentSms, models.SentSmsPage]:
        """List sent SMS, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Envio/ListarSmsEnviadas',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def search_sent(
        self,
        query: models.SmsSearchSentQuery,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SentSms, models.SentSmsPage]:
        """Find SMS sent on a day"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Envio/PesquisarSMSEnviados',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def search_sent_in_range(
        self,
        query: models.SmsSearchSentInRangeQuery,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SentSms, models.SentSmsPage]:
        """Find SMS sent in a range of days"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Envio/pesquisarEnviosPorIntervaloDeDatas',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def send(
        self,
        body: models.SendSms,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsAcceptance:
        """Send a text to one or more numbers"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Envio/enviarSms',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def send_template(
        self,
        body: models.SendSmsTemplate,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsAcceptance:
        """Send a template to one or more numbers"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Envio/enviarSmsTemplate',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def send_to_list(
        self,
        body: models.SendSmsToList,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsAcceptance:
        """Send a text or a template to a contact list"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Envio/enviarSmsParaLista',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def preview(
        self,
        body: models.PreviewSms,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsSendingPreview:
        """Preview an SMS request"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Envio/PreverSms',
            '',
            (),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def schedule(
        self,
        body: models.ScheduleSms,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsScheduledAcceptance:
        """Schedule SMS"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/Envio/agendarSms',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_scheduled(
        self,
        query: Optional[models.SmsListScheduledQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsSchedule, models.SmsSchedulePage]:
        """List scheduled SMS, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/Envio/ListarSmsAgendadas',
            'n',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def cancel_scheduled(
        self,
        agendamento_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsConfirmation:
        """Cancel scheduled SMS"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/Envio/CancelarAgendamento/{}',
            'k',
            (agendamento_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list_opt_outs(
        self,
        query: Optional[models.SmsListOptOutsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.SmsOptOut, models.SmsOptOutPage]:
        """List refusals of your SMS, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/sms/opt-outs',
            'f',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create_opt_out(
        self,
        body: models.CreateSmsOptOut,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsOptOut:
        """Record that a person refuses your SMS"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/sms/opt-outs',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def delete_opt_out(
        self,
        opt_out_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete a refusal that you recorded"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/sms/opt-outs/{}',
            'k',
            (opt_out_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Links(Group):
    def create(
        self,
        body: models.CreateLink,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Link:
        """Create a payment link"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/links',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def list(
        self,
        query: Optional[models.LinksListQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.Link, models.LinkPage]:
        """List payment links, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/links',
            'l',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def replace(
        self,
        link_id: str,
        body: models.ReplaceLink,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Link:
        """Change a payment link"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/links/{}',
            'k',
            (link_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def withdraw(
        self,
        link_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Withdraw a payment link"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/links/{}',
            'k',
            (link_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        link_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Link:
        """Read one payment link"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/links/{}',
            '',
            (link_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def list_payments(
        self,
        link_id: str,
        query: Optional[models.LinksListPaymentsQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Listing[models.LinkPayment, models.LinkPaymentPage]:
        """List the payments of a link, newest first"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/links/{}/payments',
            'l',
            (link_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_qr_svg(
        self,
        link_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """The link’s address as a QR code (SVG)"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/links/{}/qr.svg',
            '',
            (link_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get_qr_png(
        self,
        link_id: str,
        query: Optional[models.LinksGetQrPngQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """The link’s address as a QR code (PNG)"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/links/{}/qr.png',
            '',
            (link_id,),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def send_sms(
        self,
        link_id: str,
        body: models.SendLinkSms,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.SmsAcceptance:
        """Send a payment link by SMS"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/links/{}/sms',
            'k',
            (link_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Articles(Group):
    def list_articles(
        self,
        query: Optional[models.ArticlesListArticlesQuery] = None,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.ArticleList:
        """List articles, by position"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/articles',
            '',
            (),
            None,
            query,
            {'if_match': if_match, 'timeout': timeout},
        )

    def create_article(
        self,
        body: models.CreateArticle,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Article:
        """Create an article"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/articles',
            'k',
            (),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def change_article(
        self,
        article_id: str,
        body: models.ChangeArticle,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.Article:
        """Change, hide or move an article"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/articles/{}',
            'k',
            (article_id,),
            body,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def delete_article(
        self,
        article_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete an article"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/articles/{}',
            'k',
            (article_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Rails(Group):
    def list_rail_connectors(
        self,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailConnectorList:
        """List the available connectors"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/rail-connectors',
            '',
            (),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )


class RailAccounts(Group):
    def list(
        self,
        merchant_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailAccountList:
        """List rail accounts, by kind and priority"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/rail-accounts',
            '',
            (merchant_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def add(
        self,
        merchant_id: str,
        body: models.AddRailAccount,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailAccount:
        """Add a rail account"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants/{}/rail-accounts',
            '',
            (merchant_id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def get(
        self,
        merchant_id: str,
        rail_account_id: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailAccount:
        """Read a rail account"""
        return self._call(  # type: ignore[no-any-return]
            'GET /api/merchants/{}/rail-accounts/{}',
            '',
            (merchant_id, rail_account_id,),
            None,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def change(
        self,
        merchant_id: str,
        rail_account_id: str,
        body: models.ChangeRailAccount,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailAccount:
        """Change a rail account, or drain it"""
        return self._call(  # type: ignore[no-any-return]
            'PUT /api/merchants/{}/rail-accounts/{}',
            '',
            (merchant_id, rail_account_id,),
            body,
            None,
            {'if_match': if_match, 'timeout': timeout},
        )

    def remove(
        self,
        merchant_id: str,
        rail_account_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Remove a rail account"""
        return self._call(  # type: ignore[no-any-return]
            'DELETE /api/merchants/{}/rail-accounts/{}',
            'k',
            (merchant_id, rail_account_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )

    def test(
        self,
        merchant_id: str,
        rail_account_id: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> models.RailProbe:
        """Test the credentials"""
        return self._call(  # type: ignore[no-any-return]
            'POST /api/merchants/{}/rail-accounts/{}/test',
            'k',
            (merchant_id, rail_account_id,),
            None,
            None,
            {'idempotency_key': idempotency_key, 'if_match': if_match, 'timeout': timeout},
        )


class Operations:
    """All groups of operations."""

    def __init__(self, client: Balcao) -> None:
        self.payments = Payments(client)
        self.refunds = Refunds(client)
        self.references = References(client)
        self.books = Books(client)
        self.transactions = Transactions(client)
        self.settlements = Settlements(client)
        self.shifts = Shifts(client)
        self.terminals = Terminals(client)
        self.events = Events(client)
        self.callbacks = Callbacks(client)
        self.webhooks = Webhooks(client)
        self.merchants = Merchants(client)
        self.clients = Clients(client)
        self.people = People(client)
        self.notifications = Notifications(client)
        self.privacy = Privacy(client)
        self.billing = Billing(client)
        self.sms = Sms(client)
        self.links = Links(client)
        self.articles = Articles(client)
        self.rails = Rails(client)
        self.rail_accounts = RailAccounts(client)
