<?php

declare(strict_types=1);

namespace Balcao;

/** A transport throws it if no complete answer arrived. The effect of the request is unknown. */
final class ConnectionError extends Error {
    public function __construct(string $detail) {
        parent::__construct('connection_failed', $detail);
    }
}
