<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read '\t'|';'|','|'|' $separator Default: the sign that separates most lines of the file
 * @property-read ','|'.' $decimal If set, amounts with another decimal sign are refused
 * @property-read int|string $date Number of the column, from 1, or its heading
 * @property-read int|string $amount Unused if `debit` or `credit` is set
 * @property-read int|string $description
 * @property-read int|string $debit Column of debits, if they have their own
 * @property-read int|string $credit
 */
final class BankMapping extends Result
{
}
