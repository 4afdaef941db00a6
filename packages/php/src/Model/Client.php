<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * An API client. Creation and rotation return its secret once.
 * @property-read string $clientId
 * @property-read string $name
 * @property-read list<string> $scopes
 * @property-read string $createdAt
 * @property-read string|null $rotatedAt
 * @property-read string|null $overlapUntil The secret before the last rotation is valid until then
 */
final class Client extends Result
{
}
