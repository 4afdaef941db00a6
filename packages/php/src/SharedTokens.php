<?php

declare(strict_types=1);

namespace Balcao;

/** Keeps tokens in APCu, or in a file that only this user reads. The file's lock makes one process fetch a token. */
final class SharedTokens implements TokenCache {
    private ?string $folder;

    /** @param string|null $folder the folder of the files. Default: APCu if PHP has it, else the temporary folder */
    public function __construct(?string $folder = null) {
        $this->folder = $folder ?? (function_exists('apcu_enabled') && apcu_enabled() ? null : sys_get_temp_dir());
    }

    public function remember(string $key, ?string $refused, callable $fetch): string {
        if ($this->folder === null) {
            $token = apcu_fetch("balcao-$key");
            if (!is_string($token) || $token === $refused) {
                [$token, $seconds] = $fetch();
                apcu_store("balcao-$key", $token, $seconds);
            }
            return $token;
        }
        // Other users cannot guess the name, because the key is a hash of the client secret.
        $mask = umask(0077);
        $file = @fopen("$this->folder/balcao-$key", 'c+');
        umask($mask);
        if (!$file || !flock($file, LOCK_EX)) {
            return $fetch()[0];
        }
        try {
            [$token, $until] = explode(' ', stream_get_contents($file)) + ['', 0];
            if ($token === '' || $token === $refused || (int) $until <= time()) {
                [$token, $seconds] = $fetch();
                ftruncate($file, 0);
                rewind($file);
                fwrite($file, $token . ' ' . (time() + $seconds));
            }
            return $token;
        } finally {
            fclose($file);
        }
    }
}
