<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read 'push'|'qrcode'|'reference' $method
 * @property-read bool $canCharge True if a payment by this method would be accepted now
 * @property-read list<string> $obstacles Problem codes that refuse a payment, such as `gpo_id_required`;
 *    empty: it can be charged
 * @property-read bool $isOffered True if `checkoutMethods` of the merchant has this method
 */
final class PaymentMethod extends Result
{
}
