<?php

use App\Services\Payments;
use Illuminate\Support\Facades\Artisan;

// app/Console/Kernel.php runs it: $schedule->command('balcao:feed')->everyMinute()->withoutOverlapping();
Artisan::command('balcao:feed', fn (Payments $payments) => $payments->readFeed());
