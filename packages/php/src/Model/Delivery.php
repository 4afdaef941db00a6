<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id `Balcao-Delivery`: the same at every attempt
 * @property-read 'callback'|'webhook'|'test' $kind
 * @property-read string $type callback.ppr, callback.qrcode, webhook.test, or the event’s type
 * @property-read 'Pending'|'Delivered'|'Abandoned'|'Skipped' $status Pending: the next attempt is scheduled ·
 *    Delivered: your server confirmed it · Abandoned: 72 hours have passed, or your server answered 410 ·
 *    Skipped: no endpoint was set
 * @property-read string|null $paymentId The payment’s `internalId`
 * @property-read string|null $transactionId
 * @property-read string|null $endpointId
 * @property-read int $attemptsMade The number of attempts, including a running one
 * @property-read string|null $nextAttemptAt
 * @property-read string $createdAt
 * @property-read string|null $deliveredAt
 * @property-read DeliveryAttempt|null $lastAttempt
 * @property-read string|null $url The current address of the endpoint; null without an endpoint
 * @property-read Result|null $body The JSON object that is sent
 * @property-read list<DeliveryAttempt> $attempts All attempts, oldest first
 */
final class Delivery extends Result
{
    public const NESTED = [
        'lastAttempt' => DeliveryAttempt::class,
        'attempts' => DeliveryAttempt::class,
    ];
}
