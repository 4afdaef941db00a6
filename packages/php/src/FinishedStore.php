<?php

declare(strict_types=1);

namespace Balcao;

/** Remembers which payments the shop has finished. */
interface FinishedStore {
    /**
     * Runs `$work` and stores `$key` in one transaction, unless the key is stored already.
     * Concurrent calls with the same key wait. If `$work` throws, nothing is stored.
     * @return bool true if this call ran `$work`
     */
    public function once(string $key, callable $work): bool;
}
