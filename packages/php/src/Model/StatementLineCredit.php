<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $settlementId
 * @property-read string $amount
 */
final class StatementLineCredit extends Result
{
}
