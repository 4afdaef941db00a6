<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $clientId
 * @property-read string $name
 * @property-read list<string> $scopes
 * @property-read 'Active'|'Revoked' $status Revoked by `revokeClients=true`
 */
final class RevokeAnswerClient extends Result
{
}
