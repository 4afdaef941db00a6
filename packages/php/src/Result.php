<?php

declare(strict_types=1);

namespace Balcao;

/** An object of the gateway: `$payment->status` and `$payment['status']`. An absent field is null. */
class Result extends \ArrayObject {
    /** The classes of fields that are objects. */
    public const NESTED = [];
    /** @var array<string, string> the headers of the answer, such as `etag` for `if_match` */
    private array $answerHeaders = [];

    /** @param array<string, mixed> $fields @param array<string, string> $headers */
    final public function __construct(array $fields, array $headers = []) {
        parent::__construct($fields, self::ARRAY_AS_PROPS);
        $this->answerHeaders = $headers;
    }

    public function header(string $name): ?string {
        return $this->answerHeaders[strtolower($name)] ?? null;
    }

    /** @return mixed */
    #[\ReturnTypeWillChange]
    public function offsetGet($name) {
        return $this->offsetExists($name) ? parent::offsetGet($name) : null;
    }

    /** @return array<string, mixed> */
    public function toArray(): array {
        return json_decode(json_encode($this), true);
    }
}
