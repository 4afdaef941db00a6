<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Refunds extends Group
{
    /**
     * Refund money
     * @param string $internalPaymentId
     * @param array{
     *   amount?: string|int|float|null,
     *   transactionId?: string|null,
     *   reason?: string|null,
     *   reference?: string|null,
     *   method?: string|null,
     *   proof?: string|null,
     *   refundedOn?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(string $internalPaymentId, array $body, array $options = []): Model\Refund
    {
        return $this->client->call(
            'POST /api/payments/{}/refunds',
            'kp',
            Model\Refund::class,
            [$internalPaymentId],
            $body,
            [],
            $options
        );
    }

    /**
     * Refundable money of a payment
     * @param string $internalPaymentId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listable(string $internalPaymentId, array $options = []): Model\Refundable
    {
        return $this->client->call(
            'GET /api/payments/{}/refundable',
            '',
            Model\Refundable::class,
            [$internalPaymentId],
            null,
            [],
            $options
        );
    }

    /**
     * List refunds, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   method?: string,
     *   reference?: string,
     *   from?: string,
     *   to?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Refund>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/refunds', 'l', Model\RefundPage::class, [], null, $query, $options);
    }

    /**
     * Read one refund
     * @param string $refundId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $refundId, array $options = []): Model\Refund
    {
        return $this->client->call('GET /api/refunds/{}', '', Model\Refund::class, [$refundId], null, [], $options);
    }

    /**
     * Withdraw a refund that the rail has not got yet
     * @param string $refundId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function cancel(string $refundId, array $options = []): Model\Refund
    {
        return $this->client->call(
            'POST /api/refunds/{}/cancel',
            '',
            Model\Refund::class,
            [$refundId],
            null,
            [],
            $options
        );
    }

    /**
     * Refresh a refund from its rail
     * @param string $refundId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function sync(string $refundId, array $options = []): Model\Refund
    {
        return $this->client->call(
            'POST /api/refunds/{}/sync',
            '',
            Model\Refund::class,
            [$refundId],
            null,
            [],
            $options
        );
    }
}
