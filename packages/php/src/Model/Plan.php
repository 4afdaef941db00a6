<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $name
 * @property-read string $currency
 * @property-read string $monthlyFee Fee of a calendar month in Luanda, without IVA
 * @property-read int $includedPayments Payments in a month that the fee covers
 * @property-read string $paymentFee Fee of each further payment, without IVA
 */
final class Plan extends Result
{
}
