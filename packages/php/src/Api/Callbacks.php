<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Callbacks extends Group
{
    /**
     * Read the callback endpoint
     * @param string $merchantId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getEndpoint(string $merchantId, array $options = []): Model\CallbackEndpoint
    {
        return $this->client->call(
            'GET /api/merchants/{}/callback',
            '',
            Model\CallbackEndpoint::class,
            [$merchantId],
            null,
            [],
            $options
        );
    }

    /**
     * Set the callback endpoint
     * @param string $merchantId
     * @param array{
     *   url: string,
     *   accessKey?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function setEndpoint(string $merchantId, array $body, array $options = []): Model\CallbackEndpoint
    {
        return $this->client->call(
            'PUT /api/merchants/{}/callback',
            'k',
            Model\CallbackEndpoint::class,
            [$merchantId],
            $body,
            [],
            $options
        );
    }

    /**
     * Remove the callback endpoint
     * @param string $merchantId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function removeEndpoint(string $merchantId, array $options = []): void
    {
        $this->client->call('DELETE /api/merchants/{}/callback', 'k', Result::class, [$merchantId], null, [], $options);
    }

    /**
     * List callbacks, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   status?: 'Pending'|'Delivered'|'Abandoned'|'Skipped',
     *   paymentId?: string,
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\ListedDelivery>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/callbacks', 'l', Model\DeliveryPage::class, [], null, $query, $options);
    }

    /**
     * Read one callback with every attempt
     * @param string $deliveryId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $deliveryId, array $options = []): Model\Delivery
    {
        return $this->client->call(
            'GET /api/callbacks/{}',
            '',
            Model\Delivery::class,
            [$deliveryId],
            null,
            [],
            $options
        );
    }

    /**
     * Send one callback again
     * @param string $deliveryId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replay(string $deliveryId, array $options = []): Model\ListedDelivery
    {
        return $this->client->call(
            'POST /api/callbacks/{}/replay',
            'k',
            Model\ListedDelivery::class,
            [$deliveryId],
            null,
            [],
            $options
        );
    }

    /**
     * Send all callbacks again that match a filter
     * @param array{
     *   status?: 'Pending'|'Delivered'|'Abandoned'|'Skipped',
     *   paymentId?: string,
     *   from?: string,
     *   to?: string,
     *   kind?: 'callback'|'webhook',
     * }|null $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replayAll(?array $body = null, array $options = []): Model\Replay
    {
        return $this->client->call('POST /api/callbacks/replay', 'k', Model\Replay::class, [], $body, [], $options);
    }

    /**
     * Send a sample callback
     * @param array{
     *   type?: 'PPR'|'QR',
     * }|null $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function testEndpoint(?array $body = null, array $options = []): Model\Delivery
    {
        return $this->client->call('POST /api/callbacks/test', 'k', Model\Delivery::class, [], $body, [], $options);
    }
}
