<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Settlements extends Group
{
    /**
     * Settlements, the newest day first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   from?: string,
     *   to?: string,
     *   account?: string,
     *   period?: string,
     *   status?: 'open'|'balanced'|'differs'|'explained',
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\ListedSettlement>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/settlements',
            'f',
            Model\SettlementPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * One settlement with its movements
     * @param string $settlementId
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $settlementId, array $query = [], array $options = []): Model\Settlement
    {
        return $this->client->call(
            'GET /api/settlements/{}',
            '',
            Model\Settlement::class,
            [$settlementId],
            null,
            $query,
            $options
        );
    }

    /**
     * Enter what the bank credited
     * @param string $settlementId
     * @param array{
     *   kind?: 'credit'|'fee',
     *   amount?: string|int|float,
     *   date?: string|null,
     *   reference?: string|null,
     *   file?: string|null,
     *   mapping?: array{
     *     separator?: '\t'|';'|','|'|',
     *     decimal?: ','|'.',
     *     date?: int|string,
     *     amount?: int|string,
     *     description?: int|string,
     *     debit?: int|string,
     *     credit?: int|string,
     *   }|null,
     *   lines?: list<int>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function enterCredits(string $settlementId, array $body, array $options = []): Model\SettlementSummary
    {
        return $this->client->call(
            'POST /api/settlements/{}/credits',
            'k',
            Model\SettlementSummary::class,
            [$settlementId],
            $body,
            [],
            $options
        );
    }
}
