<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Payments extends Group
{
    /**
     * Create a payment
     * @param array{
     *   amount: string|int|float,
     *   currency: string,
     *   paymentType: 'GPO',
     *   reference: string,
     *   description?: string|null,
     *   metadata?: array{
     *     paymentMethod?: string|null,
     *     phoneNumber?: string|null,
     *     provider?: mixed,
     *     gpo_merchant_id?: string|null,
     *     gpo_pos_id?: string|null,
     *     description?: string|null,
     *     returnUrl?: string|null,
     *     cancelUrl?: string|null,
     *     allowReferenceFallback?: bool|null,
     *     methods?: list<'push'|'qrcode'|'reference'>|null,
     *     documentNumber?: string|null,
     *     expiresInMinutes?: int|null,
     *     authorizationId?: string|null,
     *     qrSize?: string|null,
     *     qrType?: string|null,
     *     maxTransactions?: int|null,
     *     endDate?: string|null,
     *     custom?: array<string, mixed>|null,
     *   }|null,
     * }|array{
     *   amount?: string|int|float|null,
     *   currency: string,
     *   paymentType: 'PPR',
     *   reference?: string|null,
     *   description?: string|null,
     *   metadata?: array{
     *     referenceType?: string|null,
     *     expiryDate?: string|null,
     *     description?: string|null,
     *     customerEmail?: string|null,
     *     customerName?: string|null,
     *     customerTelephone?: string|null,
     *     documentNumber?: string|null,
     *     returnUrl?: string|null,
     *     cancelUrl?: string|null,
     *     custom?: array<string, mixed>|null,
     *   }|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(array $body, array $options = []): Model\CreatedPayment
    {
        return $this->client->call('POST /api/payments', 'kp', Model\CreatedPayment::class, [], $body, [], $options);
    }

    /**
     * List payments, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   paymentType?: string,
     *   reference?: string,
     *   amount?: string|int|float,
     *   currency?: string,
     *   phone?: string,
     *   search?: string,
     *   paymentMethod?: string,
     *   link?: string,
     *   createdBy?: string,
     *   attention?: string,
     *   late?: string,
     *   customMetadata?: array<string, mixed>,
     *   from?: string,
     *   to?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\ListedPayment>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/payments', 'l', Model\PaymentPage::class, [], null, $query, $options);
    }

    /**
     * Sum the money of the payments that a list shows
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   paymentType?: string,
     *   reference?: string,
     *   amount?: string|int|float,
     *   currency?: string,
     *   phone?: string,
     *   search?: string,
     *   paymentMethod?: string,
     *   link?: string,
     *   createdBy?: string,
     *   attention?: string,
     *   late?: string,
     *   customMetadata?: array<string, mixed>,
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function sum(array $query = [], array $options = []): Model\PaymentSums
    {
        return $this->client->call('GET /api/payments/sums', '', Model\PaymentSums::class, [], null, $query, $options);
    }

    /**
     * List the people who charged, and the API clients
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listCashiers(array $options = []): Model\CashierList
    {
        return $this->client->call('GET /api/payments/cashiers', '', Model\CashierList::class, [], null, [], $options);
    }

    /**
     * Read one payment
     * @param string $paymentId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $paymentId, array $options = []): Model\Payment
    {
        return $this->client->call('GET /api/payments/{}', '', Model\Payment::class, [$paymentId], null, [], $options);
    }

    /**
     * History of a payment, oldest first
     * @param string $paymentId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getHistory(string $paymentId, array $options = []): Model\PaymentHistory
    {
        return $this->client->call(
            'GET /api/payments/{}/events',
            '',
            Model\PaymentHistory::class,
            [$paymentId],
            null,
            [],
            $options
        );
    }

    /**
     * The QR code of a payment as an image
     * @param string $paymentId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getCode(string $paymentId, array $options = []): string
    {
        return $this->client->call('GET /api/payments/{}/qrcode', '', Result::class, [$paymentId], null, [], $options);
    }

    /**
     * Refresh a payment from its provider
     * @param string $paymentId
     * @param array<string, mixed> $options prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sync(string $paymentId, array $options = []): Model\PaymentMessage
    {
        return $this->client->call(
            'POST /api/payments/{}/sync',
            'p',
            Model\PaymentMessage::class,
            [$paymentId],
            null,
            [],
            $options
        );
    }

    /**
     * Cancel an authorization, or withdraw a pending web frame or QR code
     * @param string $internalPaymentId
     * @param array<string, mixed> $options idempotency_key, prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function cancel(string $internalPaymentId, array $options = []): Model\PaymentMessage
    {
        return $this->client->call(
            'POST /api/payments/{}/cancel',
            'kp',
            Model\PaymentMessage::class,
            [$internalPaymentId],
            null,
            [],
            $options
        );
    }

    /**
     * Resolve the odd money of a payment
     * @param string $internalPaymentId
     * @param array{
     *   note: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function resolve(string $internalPaymentId, array $body, array $options = []): Model\Payment
    {
        return $this->client->call(
            'POST /api/payments/{}/resolve',
            'k',
            Model\Payment::class,
            [$internalPaymentId],
            $body,
            [],
            $options
        );
    }

    /**
     * Read which payment methods your merchant can charge now
     * @param string $merchantId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getMethods(string $merchantId, array $options = []): Model\PaymentMethods
    {
        return $this->client->call(
            'GET /api/merchants/{}/payment-methods',
            '',
            Model\PaymentMethods::class,
            [$merchantId],
            null,
            [],
            $options
        );
    }

    /**
     * Read whether a payment can be charged in another way
     * @param string $paymentId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getReplacement(string $paymentId, array $options = []): Model\ReplacementOutlook
    {
        return $this->client->call(
            'GET /api/payments/{}/replacement',
            '',
            Model\ReplacementOutlook::class,
            [$paymentId],
            null,
            [],
            $options
        );
    }

    /**
     * Charge the money of an unpaid payment in another way
     * @param string $paymentId
     * @param array{
     *   paymentMethod: 'onetimepurchase'|'qrcode'|'reference',
     *   phoneNumber?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replace(string $paymentId, array $body, array $options = []): Model\CreatedPayment
    {
        return $this->client->call(
            'POST /api/payments/{}/replacement',
            'k',
            Model\CreatedPayment::class,
            [$paymentId],
            $body,
            [],
            $options
        );
    }

    /**
     * Refunds of a payment, newest first
     * @param string $internalPaymentId
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   method?: string,
     *   reference?: string,
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Refund>
     * @throws \Balcao\Error
     */
    public function listRefunds(string $internalPaymentId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/payments/{}/refunds',
            'l',
            Model\RefundPage::class,
            [$internalPaymentId],
            null,
            $query,
            $options
        );
    }

    /**
     * Send the receipt of a payment
     * @param string $paymentId
     * @param array{
     *   channel: 'sms'|'mail',
     *   to: string,
     *   transactionId?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sendReceipt(string $paymentId, array $body, array $options = []): Model\SentReceipt
    {
        return $this->client->call(
            'POST /api/payments/{}/receipt',
            'k',
            Model\SentReceipt::class,
            [$paymentId],
            $body,
            [],
            $options
        );
    }
}
