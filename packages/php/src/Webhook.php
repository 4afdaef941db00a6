<?php

declare(strict_types=1);

namespace Balcao;

/** Verifies webhooks (Standard Webhooks). */
final class Webhook
{
    private const TOLERANCE_S = 300;

    /**
     * Returns the event of a webhook. Its time may differ from this server's time by five minutes.
     * @param string $body the bytes as received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `$_SERVER`, or the request's headers
     * @param string|string[] $secret `whsec_…`, or several during a rotation
     * @throws Error verification_failed
     */
    public static function verify(string $body, array $headers, $secret): Model\FeedEvent
    {
        [$id, $time, $given] = array_map(
            fn($name) => Proof::header($headers, "webhook-$name"),
            ['id', 'timestamp', 'signature']
        );
        if ($id === '' || !preg_match('/^\d{1,12}$/D', $time)) {
            throw Proof::refuse('the signature headers are missing');
        }
        if (abs(time() - (int) $time) > self::TOLERANCE_S) {
            throw Proof::refuse('the timestamp is too far from now');
        }
        $isValid = false;
        foreach (Proof::secrets($secret) as $each) {
            $key = base64_decode(preg_replace('/^whsec_/', '', $each), true);
            if ($key === false || $key === '') {
                throw new \InvalidArgumentException('the secret must be whsec_ and Base64');
            }
            $own = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
            foreach (explode(' ', $given) as $signature) {
                $isValid = hash_equals($own, $signature) || $isValid;
            }
        }
        if (!$isValid) {
            throw Proof::refuse('the signature is wrong');
        }
        return Proof::read($body, Model\FeedEvent::class);
    }
}
