<?php

declare(strict_types=1);

namespace Balcao;

/** A callback: one transaction of a payment reference (`PPR`) or a QR code (`QR`). */
final class Callback
{
    public string $type;
    /** The permanent id of this transaction. */
    public string $id;
    /** The `reference` of the payment. */
    public string $reference;
    /** Decimal text. */
    public string $amount;
    /** True for a test callback, which means no money. */
    public bool $isTest;
    public Result $body;

    private function __construct(Result $body, string $type, string $id, string $reference, string $amount, bool $isTest)
    {
        [$this->body, $this->type, $this->id, $this->isTest] = [$body, $type, (string) $body->$id, $isTest];
        [$this->reference, $this->amount] = [(string) $body->$reference, (string) $body->$amount];
    }

    /**
     * @param string $body the bytes as received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `$_SERVER`, or the request's headers
     * @param string|string[] $accessKey the access key of your endpoint, or several during a rotation
     * @throws Error verification_failed
     */
    public static function verify(string $body, array $headers, $accessKey): self
    {
        $given = Proof::header($headers, 'access-key');
        $isValid = false;
        foreach (Proof::secrets($accessKey) as $each) {
            $isValid = hash_equals($each, $given) || $isValid;
        }
        if (!$isValid) {
            throw Proof::refuse('the access key is wrong');
        }
        $read = Proof::read($body, Result::class);
        $isTest = Proof::header($headers, 'balcao-test') === 'true';
        if (isset($read->refPagamento)) {
            return new self($read, 'PPR', 'Id', 'refPagamento', 'montantePago', $isTest);
        }
        if (isset($read->merchantReferenceNumber)) {
            return new self($read, 'QR', 'id', 'merchantReferenceNumber', 'amount', $isTest);
        }
        throw Proof::refuse('the body is not a callback');
    }
}
