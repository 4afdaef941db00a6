<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $payments Payments received. Each transaction of a reference or QR code counts
 * @property-read int $gpo
 * @property-read int $ppr
 * @property-read list<UsageMonthAmount> $amounts
 * @property-read UsageMonthRefunds $refunds Refunds made, through the provider or by hand. They do not reduce
 *    the payments
 */
final class UsageTotals extends Result
{
    public const NESTED = [
        'amounts' => UsageMonthAmount::class,
        'refunds' => UsageMonthRefunds::class,
    ];
}
