<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Notifications extends Group
{
    /**
     * List notifications, newest first
     * @param array{
     *   page?: int,
     *   after?: string,
     *   pageSize?: int,
     *   estado?: 0|1,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Notification>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /v1/notificacoes',
            'l',
            Model\NotificationPage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Mark all unread notifications as read
     * @param array{
     *   estado: 1,
     *   ate?: string,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function markAll(array $body, array $options = []): void
    {
        $this->client->call('PUT /v1/notificacoes', '', Result::class, [], $body, [], $options);
    }

    /**
     * Mark a notification as read or unread
     * @param string $id
     * @param array{
     *   estado: 0|1,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function mark(string $id, array $body, array $options = []): void
    {
        $this->client->call('PUT /v1/notificacoes/{}', '', Result::class, [$id], $body, [], $options);
    }
}
