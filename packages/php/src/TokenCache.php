<?php

declare(strict_types=1);

namespace Balcao;

/** Keeps access tokens between requests of the shop. */
interface TokenCache {
    /**
     * Returns the token of `$key`. Without one, or if the gateway refused it, `$fetch` gets a new one.
     * @param string|null $refused the token that the gateway refused with 401
     * @param callable(): array{0: string, 1: int} $fetch returns a token, and for how many seconds it is usable
     */
    public function remember(string $key, ?string $refused, callable $fetch): string;
}
