<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read Plan $plan
 * @property-read string $since The first month in Luanda of it
 * @property-read SubscriptionNext|null $next
 */
final class Subscription extends Result
{
    public const NESTED = [
        'plan' => Plan::class,
        'next' => SubscriptionNext::class,
    ];
}
