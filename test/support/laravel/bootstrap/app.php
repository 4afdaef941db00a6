<?php

// The smallest Laravel application of Debian's packages around the sample shop in docs/shop/laravel.
// Laravel 8 writes deprecation notices on PHP 8.2. They do not concern the shop.
error_reporting(E_ALL & ~E_DEPRECATED);
require_once '/usr/share/php/Illuminate/autoload.php';
require_once getenv('BALCAO_PHP');

spl_autoload_register(function (string $class) {
    $file = dirname(__DIR__) . '/app/' . str_replace('\\', '/', substr($class, 4)) . '.php';
    if (strncmp($class, 'App\\', 4) === 0 && is_file($file)) {
        require $file;
    }
});

class RouteProvider extends Illuminate\Foundation\Support\Providers\RouteServiceProvider
{
    public function boot()
    {
        $this->routes(function () {
            Illuminate\Support\Facades\Route::middleware('web')->group(base_path('routes/web.php'));
            Illuminate\Support\Facades\Route::prefix('api')->group(base_path('routes/api.php'));
        });
    }
}

class HttpKernel extends Illuminate\Foundation\Http\Kernel
{
    // The tests post the form without a browser, so the group has no CSRF check. `@csrf` still needs the session.
    protected $middlewareGroups = ['web' => [Illuminate\Session\Middleware\StartSession::class]];
}

class ConsoleKernel extends Illuminate\Foundation\Console\Kernel
{
    protected function commands()
    {
        require base_path('routes/console.php');
    }
}

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, HttpKernel::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, ConsoleKernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);
return $app;
