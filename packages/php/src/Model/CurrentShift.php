<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read Shift|null $shift
 */
final class CurrentShift extends Result
{
    public const NESTED = [
        'shift' => Shift::class,
    ];
}
