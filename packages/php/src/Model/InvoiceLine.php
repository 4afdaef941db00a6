<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'subscription'|'payments' $kind
 * @property-read string $description
 * @property-read int $quantity
 * @property-read string $unitPrice
 * @property-read string $amount
 */
final class InvoiceLine extends Result
{
}
