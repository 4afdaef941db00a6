<?php

declare(strict_types=1);

namespace Balcao;

/** Keeps tokens in the shared memory of the PHP processes. */
final class ApcuTokens implements TokenCache
{
    public function remember(string $key, ?string $refused, callable $fetch): string
    {
        $token = apcu_fetch("balcao-$key");
        if (!is_string($token) || $token === $refused) {
            [$token, $seconds] = $fetch();
            apcu_store("balcao-$key", $token, $seconds);
        }
        return $token;
    }
}
