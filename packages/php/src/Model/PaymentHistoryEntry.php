<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $type
 * @property-read string|null $status
 * @property-read string $occurredAt
 * @property-read Result $details
 * @property-read PaymentHistoryEntryActor|null $actor The person or client whose request caused the event,
 *    with the current name
 */
final class PaymentHistoryEntry extends Result
{
    public const NESTED = [
        'actor' => PaymentHistoryEntryActor::class,
    ];
}
