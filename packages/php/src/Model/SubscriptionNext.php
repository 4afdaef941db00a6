<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read Plan $plan
 * @property-read string $from The month in which it comes into force
 */
final class SubscriptionNext extends Result
{
    public const NESTED = [
        'plan' => Plan::class,
    ];
}
