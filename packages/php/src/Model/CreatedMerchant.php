<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read Merchant $merchant
 * @property-read CreatedClient $client
 */
final class CreatedMerchant extends Result
{
    public const NESTED = [
        'merchant' => Merchant::class,
        'client' => CreatedClient::class,
    ];
}
