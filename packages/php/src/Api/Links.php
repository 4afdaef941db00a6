<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Links extends Group
{
    /**
     * Create a payment link
     * @param array{
     *   title: string,
     *   amount?: string|int|float|null,
     *   minAmount?: string|int|float|null,
     *   maxAmount?: string|int|float|null,
     *   currency: string,
     *   stock?: int|null,
     *   expiresAt?: string|null,
     *   methods?: list<'push'|'qrcode'|'reference'>|null,
     *   asks?: list<'name'|'email'|'phone'|'nif'>|null,
     *   thanks?: string|null,
     *   returnUrl?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function create(array $body, array $options = []): Model\Link
    {
        return $this->client->call('POST /api/links', 'k', Model\Link::class, [], $body, [], $options);
    }

    /**
     * List payment links, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   search?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\Link>
     * @throws \Balcao\Error
     */
    public function list(array $query = [], array $options = []): Listing
    {
        return $this->client->call('GET /api/links', 'l', Model\LinkPage::class, [], null, $query, $options);
    }

    /**
     * Change a payment link
     * @param string $linkId
     * @param array{
     *   title: string,
     *   amount?: string|int|float|null,
     *   minAmount?: string|int|float|null,
     *   maxAmount?: string|int|float|null,
     *   currency: string,
     *   stock?: int|null,
     *   expiresAt?: string|null,
     *   methods?: list<'push'|'qrcode'|'reference'>|null,
     *   asks?: list<'name'|'email'|'phone'|'nif'>|null,
     *   thanks?: string|null,
     *   returnUrl?: string|null,
     *   revision: int,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function replace(string $linkId, array $body, array $options = []): Model\Link
    {
        return $this->client->call('PUT /api/links/{}', 'k', Model\Link::class, [$linkId], $body, [], $options);
    }

    /**
     * Withdraw a payment link
     * @param string $linkId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function withdraw(string $linkId, array $options = []): void
    {
        $this->client->call('DELETE /api/links/{}', 'k', Result::class, [$linkId], null, [], $options);
    }

    /**
     * Read one payment link
     * @param string $linkId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $linkId, array $options = []): Model\Link
    {
        return $this->client->call('GET /api/links/{}', '', Model\Link::class, [$linkId], null, [], $options);
    }

    /**
     * List the payments of a link, newest first
     * @param string $linkId
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     *   after?: string,
     *   status?: string,
     *   dialect?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\LinkPayment>
     * @throws \Balcao\Error
     */
    public function listPayments(string $linkId, array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/links/{}/payments',
            'l',
            Model\LinkPaymentPage::class,
            [$linkId],
            null,
            $query,
            $options
        );
    }

    /**
     * The link’s address as a QR code (SVG)
     * @param string $linkId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getQrSvg(string $linkId, array $options = []): string
    {
        return $this->client->call('GET /api/links/{}/qr.svg', '', Result::class, [$linkId], null, [], $options);
    }

    /**
     * The link’s address as a QR code (PNG)
     * @param string $linkId
     * @param array{
     *   size?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getQrPng(string $linkId, array $query = [], array $options = []): string
    {
        return $this->client->call('GET /api/links/{}/qr.png', '', Result::class, [$linkId], null, $query, $options);
    }

    /**
     * Send a payment link by SMS
     * @param string $linkId
     * @param array{
     *   numerosDestino?: list<string>|null,
     *   listaId?: string|null,
     *   conteudo?: string|null,
     *   remetente?: string|null,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function sendSms(string $linkId, array $body, array $options = []): Model\SmsAcceptance
    {
        return $this->client->call(
            'POST /api/links/{}/sms',
            'k',
            Model\SmsAcceptance::class,
            [$linkId],
            $body,
            [],
            $options
        );
    }
}
