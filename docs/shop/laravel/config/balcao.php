<?php

return [
    'url' => env('BALCAO_URL', 'http://localhost:8080'),
    'client_id' => env('BALCAO_CLIENT_ID'),
    'client_secret' => env('BALCAO_CLIENT_SECRET'),
    'access_key' => env('BALCAO_ACCESS_KEY'),
    'webhook_secret' => env('BALCAO_WEBHOOK_SECRET'),
    'timeout' => 10,
];
