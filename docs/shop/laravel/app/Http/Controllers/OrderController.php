<?php

namespace App\Http\Controllers;

use App\Services\Payments;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;

class OrderController
{
    public function create()
    {
        return view('order', ['order' => bin2hex(random_bytes(5)), 'payment' => null]);
    }

    /** The form contains the order's id, so a second click is the same order and the same payment. */
    public function store(Request $request, Payments $payments)
    {
        [$id, $method] = [(string) $request->input('order'), (string) $request->input('method')];
        abort_unless(isset(Payments::METHODS[$method]) && preg_match('/^[0-9a-f]{10}$/D', $id), 400);
        DB::table('orders')->insertOrIgnore(['id' => $id, 'method' => $method]);
        $order = DB::table('orders')->find($id);
        if ($order->payment_id === null) {
            $payments->create($id, $order->method);
        }
        return redirect("/orders/$id", 303);
    }

    /** The order's page and return page. The buyer may return before any report arrives. */
    public function show(string $id, Payments $payments)
    {
        $order = DB::table('orders')->find($id);
        abort_unless($order, 404);
        $payment = $order->payment_id ? $payments->finish($order->payment_id) : null;
        return view('order', ['order' => $id, 'payment' => $payment]);
    }
}
