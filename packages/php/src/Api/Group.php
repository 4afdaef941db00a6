<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Client;

abstract class Group
{
    protected Client $client;

    final public function __construct(Client $client)
    {
        $this->client = $client;
    }
}
