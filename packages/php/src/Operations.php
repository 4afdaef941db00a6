<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao;

/**
 * The groups of operations.
 * @property-read Api\Payments $payments
 * @property-read Api\Refunds $refunds
 * @property-read Api\References $references
 * @property-read Api\Books $books
 * @property-read Api\Transactions $transactions
 * @property-read Api\Settlements $settlements
 * @property-read Api\Shifts $shifts
 * @property-read Api\Terminals $terminals
 * @property-read Api\Events $events
 * @property-read Api\Callbacks $callbacks
 * @property-read Api\Webhooks $webhooks
 * @property-read Api\Merchants $merchants
 * @property-read Api\Clients $clients
 * @property-read Api\People $people
 * @property-read Api\Notifications $notifications
 * @property-read Api\Privacy $privacy
 * @property-read Api\Billing $billing
 * @property-read Api\Sms $sms
 * @property-read Api\Links $links
 * @property-read Api\Articles $articles
 * @property-read Api\Rails $rails
 * @property-read Api\RailAccounts $railAccounts
 */
abstract class Operations
{
    /** The fields that are amounts of money. */
    public const AMOUNTS = [
        'amount' => true,
        'amountAuthorized' => true,
        'amountCaptured' => true,
        'amountDue' => true,
        'amountPaid' => true,
        'amountRefunded' => true,
        'awaitedCredit' => true,
        'bankFees' => true,
        'cashierRefundLimit' => true,
        'counted' => true,
        'countedCash' => true,
        'credited' => true,
        'difference' => true,
        'expected' => true,
        'expectedCredit' => true,
        'expectedCreditAtClose' => true,
        'explainedDifference' => true,
        'fee' => true,
        'fees' => true,
        'gross' => true,
        'in' => true,
        'manual' => true,
        'maxAmount' => true,
        'minAmount' => true,
        'missing' => true,
        'montantePago' => true,
        'monthlyFee' => true,
        'net' => true,
        'opening' => true,
        'openingCash' => true,
        'ourAmount' => true,
        'out' => true,
        'paymentFee' => true,
        'price' => true,
        'received' => true,
        'refunded' => true,
        'refundedByHand' => true,
        'sales' => true,
        'subtotal' => true,
        'taken' => true,
        'tax' => true,
        'total' => true,
        'unexplainedDifference' => true,
        'unitPrice' => true,
    ];
    private const GROUPS = [
        'payments' => Api\Payments::class,
        'refunds' => Api\Refunds::class,
        'references' => Api\References::class,
        'books' => Api\Books::class,
        'transactions' => Api\Transactions::class,
        'settlements' => Api\Settlements::class,
        'shifts' => Api\Shifts::class,
        'terminals' => Api\Terminals::class,
        'events' => Api\Events::class,
        'callbacks' => Api\Callbacks::class,
        'webhooks' => Api\Webhooks::class,
        'merchants' => Api\Merchants::class,
        'clients' => Api\Clients::class,
        'people' => Api\People::class,
        'notifications' => Api\Notifications::class,
        'privacy' => Api\Privacy::class,
        'billing' => Api\Billing::class,
        'sms' => Api\Sms::class,
        'links' => Api\Links::class,
        'articles' => Api\Articles::class,
        'rails' => Api\Rails::class,
        'railAccounts' => Api\RailAccounts::class,
    ];
    /** @var array<string, Api\Group> */
    private array $groups = [];

    public function __get(string $name): Api\Group
    {
        if (!isset(self::GROUPS[$name])) {
            throw new \InvalidArgumentException("no group of operations is called $name");
        }
        $class = self::GROUPS[$name];
        return $this->groups[$name] = $this->groups[$name] ?? new $class($this);
    }
}
