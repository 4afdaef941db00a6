<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $internalId Of its payment
 * @property-read string $reference
 * @property-read string $entity
 * @property-read string $amount 0: the payer chooses
 * @property-read string $currency
 * @property-read 'Dynamic'|'Charging' $referenceType
 * @property-read 'Pending'|'Processing'|'Authorized'|'Captured'|'Paid'|'Failed'|'Canceled'|'Expired' $status
 *    Of the payment
 * @property-read 'Pending'|'Paid'|'Canceled'|'Expired' $referenceStatus Whether it can be paid: only Pending
 *    can
 * @property-read string $amountPaid Sum of what was received
 * @property-read string $amountRefunded What of it was given back
 * @property-read 'none'|'partial'|'full' $refundStatus How much of the money was refunded
 * @property-read 'overpaid'|'amount_mismatch'|'late_money'|'canceled_with_money'|null $attention The kind of
 *    money that a person must refund, complete or resolve. null: no kind, or resolved
 * @property-read string $standing What the console and files show: the status, or the difference of its money
 *    that the status hides
 * @property-read list<string> $flags amount_mismatch, overpaid
 * @property-read string $expiresAt
 * @property-read string $createdAt
 * @property-read string|null $registeredAt Since when the provider knows it; payable from then on
 * @property-read string|null $payableUntil Of one canceled or expired that its provider cannot withdraw:
 *    until when money may still come, late
 * @property-read string|null $description
 * @property-read string|null $customerEmail
 * @property-read string|null $customerName
 * @property-read string|null $customerTelephone
 * @property-read string|null $documentNumber
 * @property-read 'current'|'legacy' $contract legacy: payments bring no callback
 * @property-read string $checkoutUrl
 * @property-read string $clientToken
 * @property-read Result|null $customMetadata
 */
final class PprReference extends Result
{
}
