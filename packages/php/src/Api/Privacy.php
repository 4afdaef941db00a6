<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Privacy extends Group
{
    /**
     * Export all data of one payer or contact
     * @param array{
     *   phone?: string|null,
     *   email?: string|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function exportPersonalData(array $body, array $options = []): Model\PersonalData
    {
        return $this->client->call('POST /api/privacy/export', '', Model\PersonalData::class, [], $body, [], $options);
    }

    /**
     * Erase one payer or contact
     * @param array{
     *   phone?: string|null,
     *   email?: string|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function erasePersonalData(array $body, array $options = []): Model\Erasure
    {
        return $this->client->call('POST /api/privacy/erase', '', Model\Erasure::class, [], $body, [], $options);
    }

    /**
     * Read the progress of an erasure
     * @param string $erasureId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getErasure(string $erasureId, array $options = []): Model\Erasure
    {
        return $this->client->call(
            'GET /api/privacy/erasures/{}',
            '',
            Model\Erasure::class,
            [$erasureId],
            null,
            [],
            $options
        );
    }
}
