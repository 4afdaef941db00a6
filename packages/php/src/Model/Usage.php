<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $from
 * @property-read string $to
 * @property-read list<UsageMonth> $data Days with payments or refunds, oldest first
 * @property-read UsageTotals $totals
 */
final class Usage extends Result
{
    public const NESTED = [
        'data' => UsageMonth::class,
        'totals' => UsageTotals::class,
    ];
}
