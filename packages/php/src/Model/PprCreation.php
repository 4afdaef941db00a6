<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string|null $amount Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the
 *    payer choose
 * @property-read string $currency
 * @property-read 'PPR' $paymentType
 * @property-read string|null $reference 9 to 15 digits; absent or empty: 9 digits are generated
 * @property-read string|null $description
 * @property-read Result|null $metadata
 */
final class PprCreation extends Result
{
}
