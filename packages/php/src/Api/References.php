<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class References extends Group
{
    /**
     * Create a payment reference
     * @param array{
     *   reference?: string|null,
     *   amount?: string|int|float|null,
     *   referenceType?: string|null,
     *   expiryDate?: string|null,
     *   description?: string|null,
     *   customerEmail?: string|null,
     *   customerName?: string|null,
     *   customerTelephone?: string|null,
     *   documentNumber?: string|null,
     *   customMetadata?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(array $body, array $options = []): Model\PprReference
    {
        return $this->client->call('POST /api/references/ppr', 'k', Model\PprReference::class, [], $body, [], $options);
    }

    /**
     * List payment references, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   type?: string,
     *   status?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\PprReference>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/references/ppr',
            'l',
            Model\PprReferencePage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Create a payment reference under the legacy contract
     * @param array{
     *   reference?: string|null,
     *   amount?: string|int|float|null,
     *   referenceType?: string|null,
     *   expiryDate?: string|null,
     *   description?: string|null,
     *   customerEmail?: string|null,
     *   customerName?: string|null,
     *   customerTelephone?: string|null,
     *   documentNumber?: string|null,
     *   customMetadata?: array<string, mixed>|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createLegacy(array $body, array $options = []): Model\PprReference
    {
        return $this->client->call(
            'POST /api/references/ppr/legacy',
            'k',
            Model\PprReference::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Create 1 to 500 payment references, all or none
     * @param array{
     *   references: list<array{
     *     reference?: string|null,
     *     amount?: string|int|float|null,
     *     referenceType?: string|null,
     *     expiryDate?: string|null,
     *     description?: string|null,
     *     customerEmail?: string|null,
     *     customerName?: string|null,
     *     customerTelephone?: string|null,
     *     documentNumber?: string|null,
     *     customMetadata?: array<string, mixed>|null,
     *   }>,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createBulk(array $body, array $options = []): Model\CreatedReferences
    {
        return $this->client->call(
            'POST /api/references/ppr/bulk',
            'k',
            Model\CreatedReferences::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Read one payment reference
     * @param string $pprReference
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $pprReference, array $options = []): Model\PprReference
    {
        return $this->client->call(
            'GET /api/references/ppr/{}',
            '',
            Model\PprReference::class,
            [$pprReference],
            null,
            [],
            $options
        );
    }

    /**
     * History of a payment reference, oldest first
     * @param string $pprReference
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getHistory(string $pprReference, array $options = []): Model\ReferenceHistory
    {
        return $this->client->call(
            'GET /api/references/ppr/{}/history',
            '',
            Model\ReferenceHistory::class,
            [$pprReference],
            null,
            [],
            $options
        );
    }

    /**
     * Cancel a payment reference
     * @param string $pprReference
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function cancel(string $pprReference, array $options = []): Model\PprReference
    {
        return $this->client->call(
            'POST /api/references/ppr/{}/cancel',
            'k',
            Model\PprReference::class,
            [$pprReference],
            null,
            [],
            $options
        );
    }

    /**
     * Preview payment references by SMS
     * @param array{
     *   references?: list<string>|null,
     *   type?: string,
     *   from?: string|null,
     *   to?: string|null,
     *   conteudo?: string|null,
     *   remetente?: string|null,
     * } $body
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function previewSms(array $body, array $options = []): Model\ReferenceSmsPreview
    {
        return $this->client->call(
            'POST /api/references/ppr/sms/preview',
            '',
            Model\ReferenceSmsPreview::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Send payment references by SMS
     * @param array{
     *   references: list<string>,
     *   conteudo?: string|null,
     *   remetente?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sendSms(array $body, array $options = []): Model\ReferenceSmsAcceptance
    {
        return $this->client->call(
            'POST /api/references/ppr/sms',
            'k',
            Model\ReferenceSmsAcceptance::class,
            [],
            $body,
            [],
            $options
        );
    }
}
