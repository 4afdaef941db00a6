<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $amount Major units, 0.01 to 10000000
 * @property-read string $currency
 * @property-read 'GPO' $paymentType
 * @property-read string $reference
 * @property-read string|null $description
 * @property-read Result|null $metadata
 */
final class GpoCreation extends Result
{
}
