<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $internalId
 * @property-read string $reference
 * @property-read string $amount
 * @property-read string $currency
 * @property-read 'GPO'|'PPR' $paymentType
 * @property-read string $paymentMethod
 * @property-read 'Pending'|'Processing'|'Authorized'|'Captured'|'Paid'|'Failed'|'Canceled'|'Expired' $status
 * @property-read 'none'|'partial'|'full' $refundStatus How much of the money was refunded
 * @property-read 'overpaid'|'amount_mismatch'|'late_money'|'canceled_with_money'|null $attention The kind of
 *    money that a person must refund, complete or resolve. null: no kind, or resolved
 * @property-read string $standing What the console and files show: the status, or the difference of its money
 *    that the status hides
 * @property-read list<string> $flags amount_mismatch, overpaid, recovered
 * @property-read string $createdAt
 * @property-read string|null $createdBy The person who charged. Null for API clients, and for payers of a
 *    link
 * @property-read Result|null $customMetadata
 */
final class ListedPayment extends Result
{
}
