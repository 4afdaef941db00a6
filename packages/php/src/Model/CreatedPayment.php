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
 * @property-read string $merchantId
 * @property-read string|null $createdByClient The API client that charged. Null for people and payers
 * @property-read string|null $canceledBy The person who canceled. Null for API clients and without a
 *    cancellation
 * @property-read string|null $canceledByClient The API client that canceled. Null for people
 * @property-read string|null $shiftId The open shift of the person who charged
 * @property-read string|null $entity
 * @property-read string $amountPaid Sum of accepted transactions
 * @property-read string $amountRefunded What of it was given back
 * @property-read string|null $authorizationId capture: the authorization it takes from
 * @property-read string|null $amountAuthorized authorization: what the provider really reserved
 * @property-read string|null $amountCaptured authorization: what was captured of it; the rest is released
 * @property-read 'capturing'|'voiding'|null $operation authorization: what is under way
 * @property-read int|null $maxTransactions qrcode: payments it accepts
 * @property-read int|null $acceptedTransactions qrcode: payments it has accepted
 * @property-read bool $late Money, or a reservation, came after the payment had ended
 * @property-read string|null $resolvedAt When a person resolved the attention. Later odd money clears it
 * @property-read string|null $replacedBy internalId of the payment that replaced this one
 * @property-read string|null $replaces internalId of the payment that this one replaces
 * @property-read string|null $linkId The payment link that it was begun by
 * @property-read string|null $completedAt
 * @property-read string|null $expiresAt
 * @property-read string|null $description
 * @property-read Customer $customer
 * @property-read string|null $customerEmail
 * @property-read string|null $customerName
 * @property-read string|null $customerTelephone
 * @property-read string|null $documentNumber The payer’s document, mostly the tax number (NIF)
 * @property-read 'Dynamic'|'Charging'|null $referenceType PPR
 * @property-read 'Pending'|'Paid'|'Canceled'|'Expired'|null $referenceStatus PPR: whether the reference can
 *    be paid
 * @property-read string|null $registeredAt PPR: since when the provider knows it; payable from then on
 * @property-read PaymentFailure|null $failure
 * @property-read list<Transaction> $transactions
 * @property-read string $checkoutUrl
 * @property-read string $clientToken
 * @property-read QrCode $qrCode qrcode with Prefer: return=representation, or with an Accept of JSON only
 * @property-read list<FieldFault> $warnings What the gateway read otherwise than you may have meant, such as
 *    an unknown `paymentMethod`
 */
final class CreatedPayment extends Result
{
    public const NESTED = [
        'customer' => Customer::class,
        'failure' => PaymentFailure::class,
        'transactions' => Transaction::class,
        'qrCode' => QrCode::class,
        'warnings' => FieldFault::class,
    ];
}
