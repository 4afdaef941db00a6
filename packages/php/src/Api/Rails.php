<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Rails extends Group
{
    /**
     * List the available connectors
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listRailConnectors(array $options = []): Model\RailConnectorList
    {
        return $this->client->call(
            'GET /api/rail-connectors',
            '',
            Model\RailConnectorList::class,
            [],
            null,
            [],
            $options
        );
    }
}
