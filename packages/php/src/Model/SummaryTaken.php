<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $amount Major units
 * @property-read int $count Number of transactions
 */
final class SummaryTaken extends Result
{
}
