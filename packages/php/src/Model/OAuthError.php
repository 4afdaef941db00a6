<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $error
 * @property-read string $error_description
 * @property-read string $mfa_token With `mfa_required`: send it with the code
 * @property-read int $expires_in With `mfa_required`: lifetime of mfa_token in seconds
 */
final class OAuthError extends Result
{
}
