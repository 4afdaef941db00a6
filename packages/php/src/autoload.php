<?php

// For shops without Composer: require this file once.
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/' . str_replace('\\', '/', substr($class, 7)) . '.php';
    if (strncmp($class, 'Balcao\\', 7) === 0 && is_file($file)) {
        require $file;
    }
});
