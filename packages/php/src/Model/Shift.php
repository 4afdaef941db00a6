<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read Cashier $cashier
 * @property-read 'open'|'closed' $status
 * @property-read string $openedAt
 * @property-read string|null $closedAt
 * @property-read Cashier|null $closedBy
 * @property-read string|null $note
 * @property-read string $currency The currency of totals and cash
 * @property-read list<ShiftTaken> $taken Received money, by method and currency
 * @property-read list<ShiftRefunded> $refunded Refunded money, by method of its payment and currency
 * @property-read ShiftTotals $totals Money in `currency`
 * @property-read ShiftCanceled $canceled Payments charged in the shift and canceled; of a closed shift as it
 *    closed
 * @property-read ShiftCanceled $pending Payments charged in the shift that are still open; of a closed shift
 *    as it closed
 * @property-read ShiftCash|null $cash Cash beside the gateway. Null if the shop took no cash when the shift
 *    opened
 */
final class Shift extends Result
{
    public const NESTED = [
        'cashier' => Cashier::class,
        'closedBy' => Cashier::class,
        'taken' => ShiftTaken::class,
        'refunded' => ShiftRefunded::class,
        'totals' => ShiftTotals::class,
        'canceled' => ShiftCanceled::class,
        'pending' => ShiftCanceled::class,
        'cash' => ShiftCash::class,
    ];
}
