<?php

namespace App\Services;

use Balcao\FinishedStore;
use Illuminate\Support\Facades\DB;

/** Remembers finished payments in the shop's database, in one transaction with the shop's work. */
class FinishedPayments implements FinishedStore
{
    public function once(string $key, callable $work): bool
    {
        return DB::transaction(function () use ($key, $work) {
            $isFirst = DB::table('balcao_finished')->insertOrIgnore(['payment_id' => $key]) > 0;
            if ($isFirst) {
                $work();
            }
            return $isFirst;
        });
    }
}
