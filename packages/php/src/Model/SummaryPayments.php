<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $created
 * @property-read int $succeeded Now `Paid`, `Authorized` or `Captured`
 * @property-read int $open Not final yet
 * @property-read float|null $successRate Succeeded divided by final payments, 0 to 1. `null` without final
 *    payments
 */
final class SummaryPayments extends Result
{
}
