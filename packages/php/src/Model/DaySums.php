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
 * @property-read string $bankFees Fees of the bank, entered as such
 * @property-read string $expectedCredit Taken less fees, refunded and bank fees
 * @property-read string $credited
 * @property-read string $awaitedCredit The expected credit of the settlements without a credit
 * @property-read string $difference Credited less expected, of the settlements with a credit
 * @property-read string $explainedDifference The part with an explanation
 * @property-read string $unexplainedDifference The part that needs a person
 */
final class DaySums extends Result
{
}
