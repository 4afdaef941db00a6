<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $secret `whsec_` and the base64 of 32 bytes. It is not returned again
 * @property-read string $overlapUntil The old secret signs too until this time
 */
final class RotatedSecret extends Result
{
}
