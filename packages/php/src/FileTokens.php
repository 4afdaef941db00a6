<?php

declare(strict_types=1);

namespace Balcao;

/** Keeps tokens in files that only this user reads. The lock makes one process fetch a token while others wait. */
final class FileTokens implements TokenCache
{
    private string $folder;

    public function __construct(?string $folder = null)
    {
        $this->folder = $folder ?? sys_get_temp_dir();
    }

    public function remember(string $key, ?string $refused, callable $fetch): string
    {
        // Other users cannot guess the name, because the key contains a hash of the client secret.
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
