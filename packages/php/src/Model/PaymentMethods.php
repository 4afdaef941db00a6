<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<PaymentMethod> $methods Each payment method, also one that the merchant does not offer
 * @property-read bool $hasReceivedMoney True once the merchant has received a first payment
 */
final class PaymentMethods extends Result
{
    public const NESTED = [
        'methods' => PaymentMethod::class,
    ];
}
