<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $amount
 * @property-read string $currency
 * @property-read string $status
 * @property-read string $occurredAt
 * @property-read bool $late
 * @property-read string|null $terminalId
 * @property-read string|null $clearingPeriod
 * @property-read string|null $transactionNumber
 */
final class Transaction extends Result
{
}
