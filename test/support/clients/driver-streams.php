<?php

// Drives the PHP client on PHP's streams: for the client, this PHP has no curl.
declare(strict_types=1);

namespace Balcao;

function extension_loaded(string $name): bool
{
    return $name !== 'curl' && \extension_loaded($name);
}

require __DIR__ . '/driver.php';
