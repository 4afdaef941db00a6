<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'csv'|'xlsx'|'camt053'|'mt940' $format
 * @property-read bool $isPreview
 * @property-read StatementReportCounts $counts
 * @property-read list<StatementLine> $lines
 * @property-read list<StatementReportSettlement> $settlements Every settlement that `credits` or `candidates`
 *    name
 */
final class StatementReport extends Result
{
    public const NESTED = [
        'counts' => StatementReportCounts::class,
        'lines' => StatementLine::class,
        'settlements' => StatementReportSettlement::class,
    ];
}
