<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Books extends Group
{
    /**
     * A day at a glance
     * @param array{
     *   day?: string,
     *   currency?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getSummary(array $query = [], array $options = []): Model\Summary
    {
        return $this->client->call('GET /api/summary', '', Model\Summary::class, [], null, $query, $options);
    }

    /**
     * Clearing days, newest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   from?: string,
     *   to?: string,
     *   status?: 'differs'|'open'|'waiting'|'explained'|'balanced',
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\ListedDay>
     * @throws \Balcao\Error
     */
    public function listDays(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/days', 'f', Model\DayPage::class, [], null, $query, $options);
    }

    /**
     * The close of one day
     * @param string $day
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getDay(string $day, array $options = []): Model\Day
    {
        return $this->client->call('GET /api/days/{}', '', Model\Day::class, [$day], null, [], $options);
    }

    /**
     * Take back a wrong credit or fee
     * @param string $settlementId
     * @param string $creditId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function reverseCredit(string $settlementId, string $creditId, array $options = []): Model\SettlementSummary
    {
        return $this->client->call(
            'POST /api/settlements/{}/credits/{}/reversal',
            'k',
            Model\SettlementSummary::class,
            [$settlementId, $creditId],
            null,
            [],
            $options
        );
    }

    /**
     * Explain a difference and set it aside
     * @param string $settlementId
     * @param array{
     *   reason: 'next_period'|'refund'|'rail'|'bank'|'other',
     *   note?: string|null,
     *   difference?: string|int|float,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function explainDifference(string $settlementId, array $body, array $options = []): Model\SettlementSummary
    {
        return $this->client->call(
            'POST /api/settlements/{}/explanation',
            'k',
            Model\SettlementSummary::class,
            [$settlementId],
            $body,
            [],
            $options
        );
    }

    /**
     * Take back the explanation of a difference
     * @param string $settlementId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function withdrawExplanation(string $settlementId, array $options = []): void
    {
        $this->client->call(
            'DELETE /api/settlements/{}/explanation',
            'k',
            Result::class,
            [$settlementId],
            null,
            [],
            $options
        );
    }

    /**
     * Enter the credits of a bank statement
     * @param array{
     *   file: string,
     *   mapping?: array{
     *     separator?: '\t'|';'|','|'|',
     *     decimal?: ','|'.',
     *     date?: int|string,
     *     amount?: int|string,
     *     description?: int|string,
     *     debit?: int|string,
     *     credit?: int|string,
     *   }|null,
     *   preview?: bool,
     *   lines?: list<array{
     *     line: int,
     *     settlementId?: string,
     *     aside?: true,
     *   }>,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function importStatement(array $body, array $options = []): Model\StatementReport
    {
        return $this->client->call(
            'POST /api/bank-statements',
            'k',
            Model\StatementReport::class,
            [],
            $body,
            [],
            $options
        );
    }
}
