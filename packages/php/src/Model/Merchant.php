<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read string $id
 * @property-read string $name
 * @property-read 'pt'|'en'|'fr' $defaultLanguage
 * @property-read string|null $taxId Its tax number (NIF)
 * @property-read string|null $brandColor
 * @property-read string|null $brandLogo A `data:` URL
 * @property-read string|null $privacyContact Contact for payers’ questions about their data
 * @property-read string|null $privacyNotice Your own privacy text for payers
 * @property-read list<string> $allowedOrigins Origins whose pages may frame the checkout
 * @property-read list<string> $returnOrigins Origins that `returnUrl` and `cancelUrl` may point to
 * @property-read bool $uniqueReferences
 * @property-read string|null $cashierRefundLimit Maximum refunds of a cashier per day, in kwanzas; null: no
 *    refunds
 * @property-read bool $takesCash Whether shifts count cash beside the gateway
 * @property-read list<'push'|'qrcode'|'reference'> $checkoutMethods Payment methods of the hosted page
 * @property-read list<string> $searchKeys Keys of customMetadata to search payments by
 * @property-read list<string> $gpoMerchantIds Assigned by the operator
 * @property-read list<string> $gpoPosIds Terminals, assigned by the operator
 * @property-read string|null $entity Entity of payment references, assigned by the operator
 * @property-read string $createdAt
 */
final class Merchant extends Result
{
}
