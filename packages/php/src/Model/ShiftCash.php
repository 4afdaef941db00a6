<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $opening
 * @property-read string $sales
 * @property-read string $in
 * @property-read string $out
 * @property-read string $expected opening + sales + in − out
 * @property-read string|null $counted Counted at the close
 * @property-read string|null $difference counted − expected
 */
final class ShiftCash extends Result
{
}
