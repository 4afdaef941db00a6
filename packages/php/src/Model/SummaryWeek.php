<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $from
 * @property-read SummaryTaken $taken
 */
final class SummaryWeek extends Result
{
    public const NESTED = [
        'taken' => SummaryTaken::class,
    ];
}
