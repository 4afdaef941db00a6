<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $name
 * @property-read string|null $taxId
 * @property-read string|null $address
 */
final class InvoiceIssuer extends Result
{
}
