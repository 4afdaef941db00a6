<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Terminals extends Group
{
    /**
     * Read the status of a GPO terminal
     * @param string $posId
     * @param array<string, mixed> $options prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function get(string $posId, array $options = []): Model\TerminalAnswer
    {
        return $this->client->call(
            'GET /api/terminals/{}',
            'p',
            Model\TerminalAnswer::class,
            [$posId],
            null,
            [],
            $options
        );
    }

    /**
     * Open a GPO terminal
     * @param string $posId
     * @param array{
     *   supervisorId?: string,
     * } $query
     * @param array<string, mixed> $options prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function open(string $posId, array $query = [], array $options = []): Model\TerminalAnswer
    {
        return $this->client->call(
            'GET /api/terminals/{}/open',
            'p',
            Model\TerminalAnswer::class,
            [$posId],
            null,
            $query,
            $options
        );
    }

    /**
     * Close a GPO terminal
     * @param string $posId
     * @param array{
     *   supervisorId?: string,
     * } $query
     * @param array<string, mixed> $options prefer, if_match, timeout
     * @throws \Balcao\Error
     */
    public function close(string $posId, array $query = [], array $options = []): Model\TerminalAnswer
    {
        return $this->client->call(
            'GET /api/terminals/{}/close',
            'p',
            Model\TerminalAnswer::class,
            [$posId],
            null,
            $query,
            $options
        );
    }
}
