<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Clients extends Group
{
    /**
     * List API clients, newest first
     * @param string $merchantId
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Client>
     * @throws \Balcao\Error
     */
    public function list(string $merchantId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/merchants/{}/clients',
            'l',
            Model\ClientPage::class,
            [$merchantId],
            null,
            $query,
            $options
        );
    }

    /**
     * Create an API client
     * @param string $merchantId
     * @param array{
     *   name: string,
     *   scopes?: list<string>|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(string $merchantId, array $body, array $options = []): Model\CreatedClient
    {
        return $this->client->call(
            'POST /api/merchants/{}/clients',
            '',
            Model\CreatedClient::class,
            [$merchantId],
            $body,
            [],
            $options
        );
    }

    /**
     * Revoke an API client
     * @param string $merchantId
     * @param string $clientId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function revoke(string $merchantId, string $clientId, array $options = []): void
    {
        $this->client->call(
            'DELETE /api/merchants/{}/clients/{}',
            'k',
            Result::class,
            [$merchantId, $clientId],
            null,
            [],
            $options
        );
    }

    /**
     * Give an API client a new secret
     * @param string $merchantId
     * @param string $clientId
     * @param array{
     *   overlapHours?: int|null,
     * }|null $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function rotateSecret(
        string $merchantId,
        string $clientId,
        ?array $body = null,
        array $options = []
    ): Model\RotatedClient {
        return $this->client->call(
            'POST /api/merchants/{}/clients/{}/rotate-secret',
            '',
            Model\RotatedClient::class,
            [$merchantId, $clientId],
            $body,
            [],
            $options
        );
    }
}
