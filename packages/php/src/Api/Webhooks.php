<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Webhooks extends Group
{
    /**
     * List webhooks, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Webhook>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/webhooks', 'l', Model\WebhookPage::class, [], null, $query, $options);
    }

    /**
     * Create a webhook
     * @param array{
     *   url: string,
     *   types?: list<string>|null,
     *   description?: string|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(array $body, array $options = []): Model\CreatedWebhook
    {
        return $this->client->call('POST /api/webhooks', '', Model\CreatedWebhook::class, [], $body, [], $options);
    }

    /**
     * Read one webhook
     * @param string $webhookId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $webhookId, array $options = []): Model\Webhook
    {
        return $this->client->call('GET /api/webhooks/{}', '', Model\Webhook::class, [$webhookId], null, [], $options);
    }

    /**
     * Change a webhook
     * @param string $webhookId
     * @param array{
     *   url: string,
     *   types?: list<string>|null,
     *   description?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replace(string $webhookId, array $body, array $options = []): Model\Webhook
    {
        return $this->client->call(
            'PUT /api/webhooks/{}',
            'k',
            Model\Webhook::class,
            [$webhookId],
            $body,
            [],
            $options
        );
    }

    /**
     * Remove a webhook
     * @param string $webhookId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function remove(string $webhookId, array $options = []): void
    {
        $this->client->call('DELETE /api/webhooks/{}', 'k', Result::class, [$webhookId], null, [], $options);
    }

    /**
     * Give a webhook a new signing secret
     * @param string $webhookId
     * @param array{
     *   overlapHours?: int|null,
     * }|null $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function rotateSecret(string $webhookId, ?array $body = null, array $options = []): Model\RotatedSecret
    {
        return $this->client->call(
            'POST /api/webhooks/{}/rotate-secret',
            '',
            Model\RotatedSecret::class,
            [$webhookId],
            $body,
            [],
            $options
        );
    }

    /**
     * Send a sample event to a webhook
     * @param string $webhookId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function test(string $webhookId, array $options = []): Model\Delivery
    {
        return $this->client->call(
            'POST /api/webhooks/{}/test',
            'k',
            Model\Delivery::class,
            [$webhookId],
            null,
            [],
            $options
        );
    }

    /**
     * List the deliveries of a webhook, newest first
     * @param string $webhookId
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
    public function listDeliveries(string $webhookId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/webhooks/{}/deliveries',
            'l',
            Model\DeliveryPage::class,
            [$webhookId],
            null,
            $query,
            $options
        );
    }
}
