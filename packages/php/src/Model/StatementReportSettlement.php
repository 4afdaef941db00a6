<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $day
 * @property-read string $clearingPeriod
 * @property-read RailAccountName $account
 * @property-read string $currency
 * @property-read string $missing Expected credit less the credits before this file
 */
final class StatementReportSettlement extends Result
{
    public const NESTED = [
        'account' => RailAccountName::class,
    ];
}
