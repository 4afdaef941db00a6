<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $openedAt
 * @property-read string|null $closedAt
 * @property-read bool $isPartial True if the shift also has movements of other days, which are not in this
 *    row
 */
final class DayShiftShift extends Result
{
}
