<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id The event’s id, the same in feed, stream and webhooks. Use it to detect repeats
 * @property-read string $type The event type: payment.paid and others by status, reference.*, callback.*,
 *    terminal.*
 * @property-read string $occurredAt
 * @property-read string|null $paymentId
 * @property-read string|null $status The status after the event
 * @property-read Result $details Further fields by type, for instance the transactionId of received money
 * @property-read Payment|null $data The payment’s details right after the event, with its newest 20
 *    transactions. null: the event concerns no payment. Two parts show the current state instead: the payment
 *    of `callback.*` events, and the fields `referenceStatus` and `registeredAt`.
 * @property-read string $cursor The cursor to continue after this event
 */
final class FeedEvent extends Result
{
    public const NESTED = [
        'data' => Payment::class,
    ];
}
