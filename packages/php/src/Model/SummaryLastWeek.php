<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $from
 * @property-read SummaryTaken $taken
 * @property-read SummaryTaken $soFar Up to the same time of that week
 */
final class SummaryLastWeek extends Result
{
    public const NESTED = [
        'taken' => SummaryTaken::class,
        'soFar' => SummaryTaken::class,
    ];
}
