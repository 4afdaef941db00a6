<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Merchants extends Group
{
    /**
     * Create a merchant
     * @param array{
     *   name: string,
     *   defaultLanguage?: 'pt'|'en'|'fr'|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(array $body, array $options = []): Model\CreatedMerchant
    {
        return $this->client->call('POST /api/merchants', '', Model\CreatedMerchant::class, [], $body, [], $options);
    }

    /**
     * Read your merchant
     * @param string $merchantId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $merchantId, array $options = []): Model\Merchant
    {
        return $this->client->call(
            'GET /api/merchants/{}',
            '',
            Model\Merchant::class,
            [$merchantId],
            null,
            [],
            $options
        );
    }

    /**
     * Change your merchant’s settings
     * @param string $merchantId
     * @param array{
     *   name?: string|null,
     *   defaultLanguage?: 'pt'|'en'|'fr'|null,
     *   taxId?: string|null,
     *   brandColor?: string|null,
     *   brandLogo?: string|null,
     *   privacyContact?: string|null,
     *   privacyNotice?: string|null,
     *   allowedOrigins?: list<string>|null,
     *   returnOrigins?: list<string>|null,
     *   checkoutMethods?: list<'push'|'qrcode'|'reference'>|null,
     *   cashierRefundLimit?: string|int|float|null,
     *   searchKeys?: list<string>|null,
     *   uniqueReferences?: bool|null,
     *   takesCash?: bool|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function update(string $merchantId, array $body, array $options = []): Model\Merchant
    {
        return $this->client->call(
            'PUT /api/merchants/{}',
            'k',
            Model\Merchant::class,
            [$merchantId],
            $body,
            [],
            $options
        );
    }

    /**
     * List refused requests of your systems, newest first
     * @param array{
     *   after?: string,
     *   limit?: int,
     *   status?: string,
     *   code?: string,
     *   requestId?: string,
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\RequestError>
     * @throws \Balcao\Error
     */
    public function listRequestErrors(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/errors', 'f', Model\RequestErrorPage::class, [], null, $query, $options);
    }

    /**
     * List the audit log, newest first
     * @param string $merchantId
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   action?: string,
     *   actorId?: string,
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\AuditEntry>
     * @throws \Balcao\Error
     */
    public function listAudit(string $merchantId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/merchants/{}/audit',
            'l',
            Model\AuditEntryPage::class,
            [$merchantId],
            null,
            $query,
            $options
        );
    }
}
