<?php

declare(strict_types=1);

namespace Balcao;

/**
 * A callback: one transaction of a payment reference (`PPR`) or a QR code (`QR`).
 * @property-read string $type `PPR` or `QR`
 * @property-read string $id the permanent id of this transaction
 * @property-read string $reference the `reference` of the payment
 * @property-read string $amount decimal text
 * @property-read bool $isTest true for a test callback, which means no money
 * @property-read Result $body
 */
final class Callback extends Result {
    private const FIELDS = [
        'PPR' => ['refPagamento', 'Id', 'montantePago'],
        'QR' => ['merchantReferenceNumber', 'id', 'amount'],
    ];

    /**
     * @param string $body the bytes as received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `$_SERVER`, or the request's headers
     * @param string|string[] $accessKey the access key of your endpoint, or several during a rotation
     * @throws Error verification_failed
     */
    public static function verify(string $body, array $headers, $accessKey): self {
        $given = Webhook::header($headers, 'access-key');
        if (!array_filter(Webhook::secrets($accessKey), fn($each) => hash_equals($each, $given))) {
            throw new Error('verification_failed', 'the access key is wrong', 401);
        }
        $read = Webhook::read($body, Result::class);
        foreach (self::FIELDS as $type => [$reference, $id, $amount]) {
            if (isset($read->$reference)) {
                $fields = ['id' => $read->$id, 'reference' => $read->$reference, 'amount' => $read->$amount];
                $isTest = Webhook::header($headers, 'balcao-test') === 'true';
                return new self(['type' => $type] + $fields + ['isTest' => $isTest, 'body' => $read]);
            }
        }
        throw new Error('verification_failed', 'the body is not a callback', 401);
    }
}
