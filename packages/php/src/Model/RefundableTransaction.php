<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $transactionId
 * @property-read string $amount Major units: what is left of it, neither given back nor on its way
 * @property-read string $currency
 * @property-read string $occurredAt
 * @property-read 'none'|'whole'|'part' $byRail part: any amount; whole: all of it at once; none: give it back
 *    yourself, with `method: "manual"`
 */
final class RefundableTransaction extends Result
{
}
