<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $phoneNumber
 * @property-read string $sentAt
 * @property-read string $expiresAt
 */
final class ReplacementOutlookPush extends Result
{
}
