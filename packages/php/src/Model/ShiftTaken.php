<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'push'|'qrcode'|'reference'|'page'|'capture' $method `page`: a payment page that the payer
 *    opened
 * @property-read int $count
 * @property-read string $currency
 * @property-read string $amount
 * @property-read string $fees
 */
final class ShiftTaken extends Result
{
}
