<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $message
 * @property-read string $reference
 * @property-read list<ReferenceHistoryEntry> $data
 */
final class ReferenceHistory extends Result
{
    public const NESTED = [
        'data' => ReferenceHistoryEntry::class,
    ];
}
