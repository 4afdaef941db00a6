<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $clientId
 * @property-read string $clientSecret Not returned again
 * @property-read string $overlapUntil The secret before the last rotation is valid until then
 */
final class RotatedClient extends Result
{
}
