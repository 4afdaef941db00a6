<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'next_period'|'refund'|'fee'|'not_at_rail'|'not_here' $code `next_period`: the bank credited
 *    it with another period. `refund`: only one side counts the refund. `fee`: the difference is so small
 *    that it may be a fee. `not_at_rail`: the rail may not have this movement. `not_here`: the gateway knows
 *    no movement of that amount, so the rail has money that the gateway lacks
 * @property-read string|null $movementId Movement with the amount of the difference
 * @property-read string|null $paymentId
 * @property-read string|null $clearingPeriod
 */
final class SettlementReason extends Result
{
}
