<?php

namespace App\Services;

use Balcao\Callback;
use Balcao\Client;
use Balcao\Model\FeedEvent;
use Balcao\Model\Payment;
use Illuminate\Support\Facades\DB;

/** The payments of the shop's orders. */
class Payments
{
    private const WEBFRAME = ['paymentMethod' => 'webframe', 'allowReferenceFallback' => true];
    public const METHODS = [
        'express' => ['paymentType' => 'GPO', 'metadata' => self::WEBFRAME],
        'code' => ['paymentType' => 'GPO', 'metadata' => ['paymentMethod' => 'qrcode']],
        'reference' => ['paymentType' => 'PPR', 'metadata' => ['referenceType' => 'Dynamic']],
    ];
    private Client $balcao;

    public function __construct()
    {
        $this->balcao = new Client(config('balcao'));
    }

    /** Creates an order's payment. The order's id is the idempotency key, so a retry returns the same payment. */
    public function create(string $order, string $method): void
    {
        $page = url("/orders/$order");
        $sale = ['amount' => '1500.00', 'currency' => 'AOA', 'description' => 'Café da Gabela'];
        $body = $sale + self::METHODS[$method];
        // The gateway chooses the digits of a payment reference.
        $body += $method === 'reference' ? [] : ['reference' => $order];
        $body['metadata'] += ['returnUrl' => $page, 'cancelUrl' => $page];
        $payment = $this->balcao->payments->create($body, ['idempotency_key' => $order]);
        DB::table('orders')->where('id', $order)->update(['payment_id' => $payment->internalId]);
    }

    /** Callback, webhook, return page and scheduler call it. It trusts no report and reads the payment. */
    public function finish(string $paymentId): Payment
    {
        return $this->balcao->finishOnce($paymentId, new FinishedPayments(), function ($payment, $firstId) {
            $isOurs = DB::table('orders')->where('payment_id', $firstId)->increment('shipped');
            // Undoes the transaction. The gateway repeats its report, and finds the order if it is stored by then.
            throw_unless($isOurs, \RuntimeException::class, "no order has the payment $firstId");
        })->payment;
    }

    /** An event of a webhook or of the feed. Other systems of the merchant may have paid payments too. */
    public function finishEvent(FeedEvent $event): void
    {
        $first = $event->data;
        if ($event->status !== 'Paid' || !$first) {
            return;
        }
        // A payment that replaces another one belongs to the order of the first.
        while ($first->replaces) {
            $first = $this->balcao->payments->get($first->replaces);
        }
        if (DB::table('orders')->where('payment_id', $first->internalId)->exists()) {
            $this->finish($event->data->internalId);
        }
    }

    /** A callback names the reference of the payment: the order's id for a QR code, else the digits. */
    public function finishCallback(Callback $callback): string
    {
        $own = DB::table('orders')->where('id', $callback->reference)->value('payment_id');
        return $this->finish($own ?? $callback->reference)->internalId;
    }

    /** Reads the events that this server missed, and moves the cursor after the work. */
    public function readFeed(): void
    {
        foreach ($this->balcao->readFeed(DB::table('balcao_feed')->value('position')) as $event) {
            $this->finishEvent($event);
            DB::table('balcao_feed')->update(['position' => $event->cursor]);
        }
    }
}
