<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read RailAccountName $account
 * @property-read string $clearingPeriod The rail’s name of the period, else its day
 * @property-read string $day Clearing day of its first movement. A clearing day ends at 20:00 in Luanda
 * @property-read string $currency
 * @property-read 'open'|'balanced'|'differs'|'explained' $status `open`: no credit was entered. Then
 *    `balanced`, or `differs` by `difference`. `explained`: it differs, and exactly this difference has an
 *    explanation
 * @property-read string|null $closedAt Null until the period closes
 * @property-read string $taken
 * @property-read string $fees Fees that the rail reports
 * @property-read string $refunded Refunds by the rail
 * @property-read string $refundedByHand Refunds outside of the rail. They do not change the credit
 * @property-read string $bankFees Fees of the bank, entered as such. They reduce the expected credit
 * @property-read string $expectedCredit Taken less fees, refunded and bank fees
 * @property-read int $count Movements
 * @property-read string $credited
 * @property-read string $difference Credited less expected
 * @property-read Explanation|null $explanation
 * @property-read ChangeAfterClose|null $changedAfterClose
 * @property-read string|null $reconciledAt Last comparison with the rail’s books. Null before it, or if this
 *    rail has no list
 * @property-read int $differenceCount Movements that differ between the rail and the gateway
 * @property-read list<Credit> $credits
 * @property-read list<Credit> $bankFeeEntries The fees of the bank, which are no credits
 * @property-read list<SettlementReason> $reasons Reasons for a difference, most likely first
 * @property-read list<SettlementDifference> $differences Differences from the rail’s books, at most the first
 *    hundred
 * @property-read MovementPage $movements
 */
final class Settlement extends Result
{
    public const NESTED = [
        'account' => RailAccountName::class,
        'explanation' => Explanation::class,
        'changedAfterClose' => ChangeAfterClose::class,
        'credits' => Credit::class,
        'bankFeeEntries' => Credit::class,
        'reasons' => SettlementReason::class,
        'differences' => SettlementDifference::class,
        'movements' => MovementPage::class,
    ];
}
