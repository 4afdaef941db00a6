<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read 'Viewer'|'Cashier'|'Developer'|'Administrator'|'Owner' $name
 * @property-read string $description
 * @property-read list<string> $scopes
 */
final class Role extends Result
{
}
