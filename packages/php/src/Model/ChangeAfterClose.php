<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $count Movements recorded since
 * @property-read string $expectedCreditAtClose
 */
final class ChangeAfterClose extends Result
{
}
