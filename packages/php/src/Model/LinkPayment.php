<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $internalId The payment, or the payment reference that replaced it
 * @property-read string $reference
 * @property-read 'Pending'|'Processing'|'Authorized'|'Captured'|'Paid'|'Failed'|'Canceled'|'Expired' $status
 * @property-read string $amount
 * @property-read string $amountPaid
 * @property-read string $currency
 * @property-read 'none'|'partial'|'full' $refundStatus How much of the money was refunded
 * @property-read 'overpaid'|'amount_mismatch'|'late_money'|'canceled_with_money'|null $attention The kind of
 *    money that a person must refund, complete or resolve. null: no kind, or resolved
 * @property-read string $standing What the console and files show: the status, or the difference of its money
 *    that the status hides
 * @property-read string|null $customerName
 * @property-read string|null $customerEmail
 * @property-read string|null $customerTelephone
 * @property-read string|null $documentNumber
 * @property-read string $createdAt
 * @property-read string|null $completedAt
 */
final class LinkPayment extends Result
{
}
