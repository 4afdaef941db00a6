<?php

return [
    'driver' => 'array',
    'lifetime' => 10,
    'expire_on_close' => true,
    'lottery' => [0, 1],
    'cookie' => 'session',
    'path' => '/',
    'domain' => null,
];
