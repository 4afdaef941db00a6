<?php

declare(strict_types=1);

namespace Balcao;

/** An object of the gateway: `$payment->status` and `$payment['status']`. An absent field is null. */
class Result implements \ArrayAccess, \IteratorAggregate, \JsonSerializable
{
    /** The classes of fields that are objects. */
    public const NESTED = [];
    /** @var array<string, mixed> */
    private array $fields;
    /** @var array<string, string> */
    private array $headers = [];

    /** @param array<string, mixed> $fields */
    final public function __construct(array $fields)
    {
        $this->fields = $fields;
    }

    /** @param array<string, string> $headers */
    public function withHeaders(array $headers): self
    {
        $copy = clone $this;
        $copy->headers = $headers;
        return $copy;
    }

    /** A header of the answer, such as `etag` for `if_match`. */
    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }

    /** @return mixed */
    public function __get(string $name)
    {
        return $this->fields[$name] ?? null;
    }

    public function __isset(string $name): bool
    {
        return isset($this->fields[$name]);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return json_decode(json_encode($this), true);
    }

    public function jsonSerialize(): object
    {
        return (object) $this->fields;
    }

    public function getIterator(): \Iterator
    {
        return new \ArrayIterator($this->fields);
    }

    /** @return mixed */
    #[\ReturnTypeWillChange]
    public function offsetGet($name)
    {
        return $this->fields[$name] ?? null;
    }

    public function offsetExists($name): bool
    {
        return isset($this->fields[$name]);
    }

    public function offsetSet($name, $value): void
    {
        throw new \LogicException('an answer of the gateway cannot be changed');
    }

    public function offsetUnset($name): void
    {
        throw new \LogicException('an answer of the gateway cannot be changed');
    }
}
