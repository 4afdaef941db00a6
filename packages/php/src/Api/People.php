<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class People extends Group
{
    /**
     * List the people with access, newest first
     * @param string $merchantId
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Member>
     * @throws \Balcao\Error
     */
    public function listMembers(string $merchantId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/merchants/{}/users',
            'l',
            Model\MemberPage::class,
            [$merchantId],
            null,
            $query,
            $options
        );
    }

    /**
     * Grant a person access
     * @param string $merchantId
     * @param array{
     *   email: string,
     *   roleId: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function grantAccess(string $merchantId, array $body, array $options = []): Model\GrantAnswer
    {
        return $this->client->call(
            'POST /api/merchants/{}/users',
            'kp',
            Model\GrantAnswer::class,
            [$merchantId],
            $body,
            [],
            $options
        );
    }

    /**
     * Revoke a person’s access
     * @param string $merchantId
     * @param string $userId
     * @param array{
     *   revokeClients?: 'true'|'false',
     * } $query
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function revokeAccess(
        string $merchantId,
        string $userId,
        array $query = [],
        array $options = []
    ): Model\RevokeAnswer {
        return $this->client->call(
            'DELETE /api/merchants/{}/users/{}',
            'k',
            Model\RevokeAnswer::class,
            [$merchantId, $userId],
            null,
            $query,
            $options
        );
    }

    /**
     * List the roles that can be granted
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listRoles(array $options = []): Model\RoleList
    {
        return $this->client->call('GET /api/roles', '', Model\RoleList::class, [], null, [], $options);
    }
}
