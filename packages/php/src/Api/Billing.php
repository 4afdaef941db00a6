<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Billing extends Group
{
    /**
     * List plans, cheapest first
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listPlans(array $options = []): Model\PlanList
    {
        return $this->client->call('GET /api/billing/plans', '', Model\PlanList::class, [], null, [], $options);
    }

    /**
     * Read the current and the next plan
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getSubscription(array $options = []): Model\Subscription
    {
        return $this->client->call(
            'GET /api/billing/subscription',
            '',
            Model\Subscription::class,
            [],
            null,
            [],
            $options
        );
    }

    /**
     * Choose a plan
     * @param array{
     *   planId: string,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function choosePlan(array $body, array $options = []): Model\Subscription
    {
        return $this->client->call(
            'PUT /api/billing/subscription',
            'k',
            Model\Subscription::class,
            [],
            $body,
            [],
            $options
        );
    }

    /**
     * Payments received and refunds made, by day
     * @param array{
     *   from?: string,
     *   to?: string,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getUsage(array $query = [], array $options = []): Model\Usage
    {
        return $this->client->call('GET /api/billing/usage', '', Model\Usage::class, [], null, $query, $options);
    }

    /**
     * List invoices, newest first
     * @param array{
     *   page?: int,
     *   pageSize?: int,
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @return Listing<Model\ListedInvoice>
     * @throws \Balcao\Error
     */
    public function listInvoices(array $query = [], array $options = []): Listing
    {
        return $this->client->call(
            'GET /api/billing/invoices',
            'l',
            Model\InvoicePage::class,
            [],
            null,
            $query,
            $options
        );
    }

    /**
     * Read one invoice
     * @param string $invoiceId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getInvoice(string $invoiceId, array $options = []): Model\Invoice
    {
        return $this->client->call(
            'GET /api/billing/invoices/{}',
            '',
            Model\Invoice::class,
            [$invoiceId],
            null,
            [],
            $options
        );
    }

    /**
     * Read one credit note
     * @param string $creditNoteId
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function getCreditNote(string $creditNoteId, array $options = []): Model\CreditNote
    {
        return $this->client->call(
            'GET /api/billing/credit-notes/{}',
            '',
            Model\CreditNote::class,
            [$creditNoteId],
            null,
            [],
            $options
        );
    }
}
