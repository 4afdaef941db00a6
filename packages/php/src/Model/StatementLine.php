<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $line Number of the line or row. In camt.053: number of the movement
 * @property-read string|null $account IBAN or number of the bank’s account, if the file has it
 * @property-read string|null $date Null if the line is not a movement
 * @property-read string|null $amount Negative for a debit
 * @property-read string|null $currency
 * @property-read string $description
 * @property-read string|null $reference The bank’s reference
 * @property-read 'credited'|'known'|'unclear'|'aside' $result `credited`: the line is the credit of
 *    `credits`. `known`: it was entered before. `unclear`: choose one of `candidates`. `aside`: it is no
 *    credit of ours
 * @property-read string|null $reason Why the line is unclear or aside. `several`: more than one settlement or
 *    line fits. `amount_differs`: the settlement expects another amount. `chosen`: the request set it aside.
 *    `not_a_line`: a heading or total. `not_booked`: the bank has only announced it
 * @property-read list<StatementLineCredit> $credits
 * @property-read list<string> $candidates
 */
final class StatementLine extends Result
{
    public const NESTED = [
        'credits' => StatementLineCredit::class,
    ];
}
