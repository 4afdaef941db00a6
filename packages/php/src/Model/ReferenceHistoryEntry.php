<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $type payment.* and reference.*
 * @property-read string|null $status
 * @property-read string|null $amount Of money received
 * @property-read string $occurredAt
 * @property-read Result $details
 */
final class ReferenceHistoryEntry extends Result
{
}
