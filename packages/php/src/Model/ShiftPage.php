<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<Shift> $data
 * @property-read string|null $next The cursor of the next page, for `after`. null: this is the last page
 */
final class ShiftPage extends Result
{
    public const NESTED = [
        'data' => Shift::class,
    ];
}
