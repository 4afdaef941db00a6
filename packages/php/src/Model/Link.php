<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $slug
 * @property-read string $url Public address to send, print or scan
 * @property-read 'Active'|'SoldOut'|'Expired'|'Withdrawn' $status
 * @property-read list<string> $obstacles Problem codes, such as `gpo_id_required`, that block every method of
 *    the page now; empty: payable
 * @property-read string $title
 * @property-read string|null $amount null: the payer chooses
 * @property-read string|null $minAmount
 * @property-read string|null $maxAmount
 * @property-read string $currency
 * @property-read int|null $stock
 * @property-read int $openPayments Payments that can still be paid; each holds one unit of the stock
 * @property-read int $paidPayments Paid payments; more than `stock` if money arrived late
 * @property-read string|null $expiresAt
 * @property-read list<'push'|'qrcode'|'reference'>|null $methods
 * @property-read list<'name'|'email'|'phone'|'nif'> $asks
 * @property-read string|null $thanks
 * @property-read string|null $returnUrl
 * @property-read int $revision Grows with every change; send it back with your change
 * @property-read string $createdAt
 * @property-read string $updatedAt
 * @property-read string|null $withdrawnAt
 */
final class Link extends Result
{
}
