<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Shifts extends Group
{
    /**
     * Open your shift
     * @param array{
     *   openingCash?: string|int|float|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function openShift(array $body, array $options = []): Model\Shift
    {
        return $this->client->call('POST /api/shifts', 'k', Model\Shift::class, [], $body, [], $options);
    }

    /**
     * List shifts, newest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   from?: string,
     *   to?: string,
     *   user?: string,
     *   status?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Shift>
     * @throws \Balcao\Error
     */
    public function listShifts(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/shifts', 'f', Model\ShiftPage::class, [], null, $query, $options);
    }

    /**
     * Read your open shift
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getCurrentShift(array $options = []): Model\CurrentShift
    {
        return $this->client->call('GET /api/shifts/current', '', Model\CurrentShift::class, [], null, [], $options);
    }

    /**
     * Read a shift
     * @param string $shiftId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getShift(string $shiftId, array $options = []): Model\Shift
    {
        return $this->client->call('GET /api/shifts/{}', '', Model\Shift::class, [$shiftId], null, [], $options);
    }

    /**
     * Record cash of an open shift
     * @param string $shiftId
     * @param array{
     *   kind: 'sale'|'in'|'out',
     *   amount: string|int|float,
     *   note?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function recordCash(string $shiftId, array $body, array $options = []): Model\Shift
    {
        return $this->client->call(
            'POST /api/shifts/{}/cash',
            'k',
            Model\Shift::class,
            [$shiftId],
            $body,
            [],
            $options
        );
    }

    /**
     * Close a shift
     * @param string $shiftId
     * @param array{
     *   countedCash?: string|int|float|null,
     *   note?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function closeShift(string $shiftId, array $body, array $options = []): Model\Shift
    {
        return $this->client->call(
            'POST /api/shifts/{}/close',
            'k',
            Model\Shift::class,
            [$shiftId],
            $body,
            [],
            $options
        );
    }
}
