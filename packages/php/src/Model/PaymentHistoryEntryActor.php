<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'user'|'client' $kind
 * @property-read string $id
 * @property-read string|null $name
 */
final class PaymentHistoryEntryActor extends Result
{
}
