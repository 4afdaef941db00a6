<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $tipo `user`, `client`, `operator` or `system`
 * @property-read string|null $nome
 * @property-read bool $proprio True if you made the change yourself
 */
final class NotificationAutor extends Result
{
}
