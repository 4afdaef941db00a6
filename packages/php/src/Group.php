<?php

declare(strict_types=1);

namespace Balcao;

/** A group of operations. The classes in `Api` are generated. */
abstract class Group
{
    protected Client $client;

    final public function __construct(Client $client)
    {
        $this->client = $client;
    }
}
