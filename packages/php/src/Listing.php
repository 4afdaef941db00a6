<?php

declare(strict_types=1);

namespace Balcao;

/** A list: `foreach` reads the items of all pages, `page()` one page, and `$list->data` the items of that page. */
final class Listing implements \IteratorAggregate {
    /** @var callable(array<string, mixed>): Result */
    private $send;
    /** @var array<string, mixed> */
    private array $query;
    private string $parameter;
    private ?Result $page = null;

    /** @param array<string, mixed> $query @param string $parameter the query parameter of the next page */
    public function __construct(callable $send, array $query, string $parameter) {
        [$this->send, $this->query, $this->parameter] = [$send, $query, $parameter];
    }

    public function page(): Result {
        return $this->page = $this->page ?? ($this->send)($this->query);
    }

    /** @return mixed */
    public function __get(string $name) {
        return $this->page()->$name;
    }

    public function getIterator(): \Generator {
        $at = $this->query[$this->parameter] ?? null;
        for ($page = $this->page(); ; $page = ($this->send)([$this->parameter => $at] + $this->query)) {
            foreach ($page->data as $item) {
                yield $item;
            }
            $nth = (int) ($at ?? 1);
            $at = $this->parameter === 'after' ? $page->next : ($nth < $page->totalPages ? $nth + 1 : null);
            if (!$page->data || !$at) {
                return;
            }
        }
    }
}
