<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $pointer
 * @property-read string $code
 * @property-read string $message
 */
final class FieldFault extends Result
{
}
