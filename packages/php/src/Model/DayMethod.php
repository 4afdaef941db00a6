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
 * @property-read string $method The payment’s method
 */
final class DayMethod extends Result
{
}
