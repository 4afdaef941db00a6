<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Events extends Group
{
    /**
     * List events, oldest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\FeedEvent>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/events', 'f', Model\FeedEventPage::class, [], null, $query, $options);
    }
}
