<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $openedAt
 * @property-read string|null $closedAt
 */
final class DayShiftShift extends Result
{
}
