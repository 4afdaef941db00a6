<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $day
 * @property-read string $currency
 * @property-read string $asOf
 * @property-read SummaryTaken $taken Recorded on this day. Money in another currency than its payment is only
 *    in the list of movements
 * @property-read SummaryReturned $returned Refunded on this day, by the rail or by hand
 * @property-read list<SummaryHour> $hours The 24 hours of the day
 * @property-read SummaryPayments $payments Payments created on this day, by their current status
 * @property-read list<SummaryFailure> $failures Why the other final payments of this day were not paid, most
 *    frequent reason first: the code of the failure, `expired` or `canceled`. The counts and `succeeded` add
 *    up to the final payments
 * @property-read SummaryWeek $week From Monday to the end of this day
 * @property-read SummaryLastWeek $lastWeek The seven days before
 * @property-read list<SummaryAttention> $attention
 */
final class Summary extends Result
{
    public const NESTED = [
        'taken' => SummaryTaken::class,
        'returned' => SummaryReturned::class,
        'hours' => SummaryHour::class,
        'payments' => SummaryPayments::class,
        'failures' => SummaryFailure::class,
        'week' => SummaryWeek::class,
        'lastWeek' => SummaryLastWeek::class,
        'attention' => SummaryAttention::class,
    ];
}
