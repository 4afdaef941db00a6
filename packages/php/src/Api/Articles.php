<?php

// Generated from /openapi.json by `npm run client`: do not edit by hand.

declare(strict_types=1);

namespace Balcao\Api;

use Balcao\Listing;
use Balcao\Model;
use Balcao\Result;

final class Articles extends Group
{
    /**
     * List articles, by position
     * @param array{
     *   isActive?: 'true'|'false',
     * } $query
     * @param array<string, mixed> $options if_match, timeout
     * @throws \Balcao\Error
     */
    public function listArticles(array $query = [], array $options = []): Model\ArticleList
    {
        return $this->client->call('GET /api/articles', '', Model\ArticleList::class, [], null, $query, $options);
    }

    /**
     * Create an article
     * @param array{
     *   name: string,
     *   price: string|int|float,
     *   currency: string,
     *   position?: int,
     *   isActive?: bool,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function createArticle(array $body, array $options = []): Model\Article
    {
        return $this->client->call('POST /api/articles', 'k', Model\Article::class, [], $body, [], $options);
    }

    /**
     * Change, hide or move an article
     * @param string $articleId
     * @param array{
     *   name?: string,
     *   price?: string|int|float,
     *   position?: int,
     *   isActive?: bool,
     * } $body
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function changeArticle(string $articleId, array $body, array $options = []): Model\Article
    {
        return $this->client->call(
            'PUT /api/articles/{}',
            'k',
            Model\Article::class,
            [$articleId],
            $body,
            [],
            $options
        );
    }

    /**
     * Delete an article
     * @param string $articleId
     * @param array<string, mixed> $options idempotency_key, if_match, timeout
     * @throws \Balcao\Error
     */
    public function deleteArticle(string $articleId, array $options = []): void
    {
        $this->client->call('DELETE /api/articles/{}', 'k', Result::class, [$articleId], null, [], $options);
    }
}
