<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;

class CreateOrders extends Migration
{
    public function up()
    {
        Schema::create('orders', function (Blueprint $table) {
            $table->string('id', 15)->primary();
            $table->string('method', 10);
            $table->string('payment_id', 36)->nullable()->unique();
            $table->unsignedInteger('shipped')->default(0);
        });
        Schema::create('balcao_finished', function (Blueprint $table) {
            $table->string('payment_id', 64)->primary();
            $table->timestamp('finished_at')->useCurrent();
        });
        Schema::create('balcao_feed', fn (Blueprint $table) => $table->string('position', 64));
        DB::table('balcao_feed')->insert(['position' => '0']);
    }

    public function down()
    {
        foreach (['balcao_feed', 'balcao_finished', 'orders'] as $table) {
            Schema::drop($table);
        }
    }
}
