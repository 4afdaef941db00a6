<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Transactions extends Group
{
    /**
     * Every movement of money, newest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   from?: string,
     *   to?: string,
     *   period?: string,
     *   account?: string,
     *   type?: 'payment'|'capture'|'scan'|'reference'|'refund'|'manual',
     *   reference?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Movement>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/transactions', 'f', Model\MovementPage::class, [], null, $query, $options);
    }
}
