<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $action A noun and a verb: `client.created`
 * @property-read AuditEntryActor $actor
 * @property-read string|null $address IP address of the caller; an IPv6 address as its /64
 * @property-read string|null $target Id of the changed object
 * @property-read Result $changes Changes by field; for a secret only that it changed
 * @property-read string $occurredAt
 */
final class AuditEntry extends Result
{
    public const NESTED = [
        'actor' => AuditEntryActor::class,
    ];
}
