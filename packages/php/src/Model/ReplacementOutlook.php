<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read bool $isReplaceable True if `replacePayment` would charge this money in another way now
 * @property-read string|null $payableUntil The time until which the payment itself may be paid. Null if it
 *    has ended, or if only the rail knows
 * @property-read ReplacementOutlookPush|null $push The newest push: the mobile number that received it, and
 *    the end of the payer’s time to approve it
 */
final class ReplacementOutlook extends Result
{
    public const NESTED = [
        'push' => ReplacementOutlookPush::class,
    ];
}
