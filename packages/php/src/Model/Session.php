<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $clientId `web`, `console` (a browser), or the API client of the sign-in
 * @property-read string|null $merchantId
 * @property-read string|null $address IP address of the last use
 * @property-read string|null $userAgent
 * @property-read string $createdAt
 * @property-read string $lastUsedAt When a token was last issued for it
 * @property-read bool $isCurrent True for the session of this request
 */
final class Session extends Result
{
}
