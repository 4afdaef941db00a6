<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $currency
 * @property-read int $payments
 * @property-read string $received
 * @property-read string $refunded
 * @property-read string $net
 */
final class PaymentSum extends Result
{
}
