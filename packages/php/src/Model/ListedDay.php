<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $day A clearing day ends at 20:00 in Luanda
 * @property-read 'differs'|'open'|'waiting'|'explained'|'balanced' $status The first that holds: `differs`: a
 *    difference has no explanation. `open`: a period is not closed. `waiting`: a settlement has no credit.
 *    `explained`: each difference has an explanation. `balanced`
 * @property-read string|null $closedAt Close of the last period. Null until all are closed
 * @property-read int $accounts Settlements of the day
 * @property-read list<DaySums> $sums All accounts together, by currency
 */
final class ListedDay extends Result
{
    public const NESTED = [
        'sums' => DaySums::class,
    ];
}
