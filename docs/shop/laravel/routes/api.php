<?php

use App\Http\Controllers\BalcaoController;
use Illuminate\Support\Facades\Route;

// Routes of this file have no CSRF check. The address is /api/balcao.
Route::post('/balcao', BalcaoController::class);
