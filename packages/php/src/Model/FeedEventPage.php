<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<FeedEvent> $data
 * @property-read string $next
 */
final class FeedEventPage extends Result
{
    public const NESTED = [
        'data' => FeedEvent::class,
    ];
}
