<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'user'|'client'|'operator'|'system' $kind
 * @property-read string $id
 * @property-read string|null $name The person’s e-mail address, or the client’s name
 */
final class AuditEntryActor extends Result
{
}
