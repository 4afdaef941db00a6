<?php

// Laravel's emergency logger and this channel write to the output of PHP's server.
return ['default' => 'errors', 'channels' => ['errors' => [
    'driver' => 'monolog',
    'handler' => Monolog\Handler\StreamHandler::class,
    'with' => ['stream' => 'php://stderr'],
    'level' => 'debug',
]]];
