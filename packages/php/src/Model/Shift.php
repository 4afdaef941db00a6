<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read Result $cashier
 * @property-read 'open'|'closed' $status
 * @property-read string $openedAt
 * @property-read string|null $closedAt
 * @property-read Result|null $closedBy
 * @property-read string|null $note
 * @property-read string $currency The currency of totals and cash
 * @property-read list<Result> $taken Received money, by method and currency
 * @property-read list<Result> $refunded Refunded money, by method of its payment and currency
 * @property-read Result $totals Money in `currency`
 * @property-read Result $canceled Payments charged in the shift and canceled; of a closed shift as it closed
 * @property-read Result $pending Payments charged in the shift that are still open; of a closed shift as it
 *    closed
 * @property-read Result|null $cash Cash beside the gateway. Null if the shop took no cash when the shift
 *    opened
 */
final class Shift extends Result
{
}
