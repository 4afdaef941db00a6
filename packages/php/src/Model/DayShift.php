<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $currency
 * @property-read int $count Movements
 * @property-read string $taken
 * @property-read string $fees Fees that the rail reports
 * @property-read string $refunded Refunds by the rail
 * @property-read string $refundedByHand Refunds outside of the rail
 * @property-read DayCashierCashier $cashier A payment counts for the creator, a refund for the person who
 *    refunded
 * @property-read DayShiftShift|null $shift The shift that counts these movements
 * @property-read 'in_shift'|'after_close'|'no_shift' $timing `after_close`: the money arrived after the close
 *    of its shift, and counts in no shift
 */
final class DayShift extends Result
{
    public const NESTED = [
        'cashier' => DayCashierCashier::class,
        'shift' => DayShiftShift::class,
    ];
}
