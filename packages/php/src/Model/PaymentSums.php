<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read int $payments The payments of all pages
 * @property-read bool $isComplete False: there are more payments than these, and `sums` is empty
 * @property-read list<PaymentSum> $sums For each currency: the accepted money, what was given back, and the
 *    difference
 */
final class PaymentSums extends Result
{
    public const NESTED = [
        'sums' => PaymentSum::class,
    ];
}
