<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $credited
 * @property-read int $known
 * @property-read int $unclear
 * @property-read int $aside
 */
final class StatementReportCounts extends Result
{
}
