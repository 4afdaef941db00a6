<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class RailAccounts extends Group
{
    /**
     * List rail accounts, by kind and priority
     * @param string $merchantId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function list(string $merchantId, array $options = []): Model\RailAccountList
    {
        return $this->client->call(
            'GET /api/merchants/{}/rail-accounts',
            '',
            Model\RailAccountList::class,
            [$merchantId],
            null,
            [],
            $options
        );
    }

    /**
     * Add a rail account
     * @param string $merchantId
     * @param array<string, mixed> $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function add(string $merchantId, array $body, array $options = []): Model\RailAccount
    {
        return $this->client->call(
            'POST /api/merchants/{}/rail-accounts',
            '',
            Model\RailAccount::class,
            [$merchantId],
            $body,
            [],
            $options
        );
    }

    /**
     * Read a rail account
     * @param string $merchantId
     * @param string $railAccountId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $merchantId, string $railAccountId, array $options = []): Model\RailAccount
    {
        return $this->client->call(
            'GET /api/merchants/{}/rail-accounts/{}',
            '',
            Model\RailAccount::class,
            [$merchantId, $railAccountId],
            null,
            [],
            $options
        );
    }

    /**
     * Change a rail account, or drain it
     * @param string $merchantId
     * @param string $railAccountId
     * @param array<string, mixed> $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function change(
        string $merchantId,
        string $railAccountId,
        array $body,
        array $options = []
    ): Model\RailAccount {
        return $this->client->call(
            'PUT /api/merchants/{}/rail-accounts/{}',
            '',
            Model\RailAccount::class,
            [$merchantId, $railAccountId],
            $body,
            [],
            $options
        );
    }

    /**
     * Remove a rail account
     * @param string $merchantId
     * @param string $railAccountId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function remove(string $merchantId, string $railAccountId, array $options = []): void
    {
        $this->client->call(
            'DELETE /api/merchants/{}/rail-accounts/{}',
            'k',
            Result::class,
            [$merchantId, $railAccountId],
            null,
            [],
            $options
        );
    }

    /**
     * Test the credentials
     * @param string $merchantId
     * @param string $railAccountId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function test(string $merchantId, string $railAccountId, array $options = []): Model\RailProbe
    {
        return $this->client->call(
            'POST /api/merchants/{}/rail-accounts/{}/test',
            'k',
            Model\RailProbe::class,
            [$merchantId, $railAccountId],
            null,
            [],
            $options
        );
    }
}
