<?php

use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\ConsoleOutput;

$app = require __DIR__ . '/bootstrap/app.php';
exit($app->make(Illuminate\Contracts\Console\Kernel::class)->handle(new ArgvInput(), new ConsoleOutput()));
