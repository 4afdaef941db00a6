<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<Notification> $data
 * @property-read int $pageNumber
 * @property-read int $pageSize
 * @property-read int $totalPages
 * @property-read int $totalItems
 * @property-read string|null $next The cursor of the next page, for `after`. null: this is the last page
 */
final class NotificationPage extends Result
{
    public const NESTED = [
        'data' => Notification::class,
    ];
}
