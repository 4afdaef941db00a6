<?php

namespace App\Http\Controllers;

use App\Services\Payments;
use Balcao\Answer;
use Illuminate\Http\Request;

/** Receives the callbacks and webhooks of the gateway. */
class BalcaoController
{
    public function __invoke(Request $request, Payments $payments)
    {
        $answer = Answer::to($request->getContent(), $request->headers->all(), [
            'access_key' => config('balcao.access_key'),
            'webhook_secret' => config('balcao.webhook_secret'),
            'on_callback' => [$payments, 'finishCallback'],
            'on_event' => [$payments, 'finishEvent'],
            'on_error' => 'report',
        ]);
        return response($answer->body, $answer->status, ['Content-Type' => 'application/json']);
    }
}
