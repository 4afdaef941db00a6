<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Model;

use Balcao\Result;

/**
 * @property-read list<Cashier> $data
 * @property-read list<CashierListClient> $clients
 */
final class CashierList extends Result
{
    public const NESTED = [
        'data' => Cashier::class,
        'clients' => CashierListClient::class,
    ];
}
