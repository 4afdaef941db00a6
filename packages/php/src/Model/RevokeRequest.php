<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $token
 * @property-read string $token_type_hint
 * @property-read string $client_id
 * @property-read string $client_secret
 */
final class RevokeRequest extends Result
{
}
