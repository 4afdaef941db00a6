<?php

declare(strict_types=1);

namespace Balcao;

/** Verifies webhooks (Standard Webhooks). */
final class Webhook {
    private const TOLERANCE_S = 300;

    /**
     * Returns the event of a webhook. Its time may differ from this server's time by five minutes.
     * @param string $body the bytes as received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `$_SERVER`, or the request's headers
     * @param string|string[] $secret `whsec_…`, or several during a rotation
     * @throws Error verification_failed
     */
    public static function verify(string $body, array $headers, $secret): Model\FeedEvent {
        $read = fn(string $name) => self::header($headers, "webhook-$name");
        [$id, $time, $given] = array_map($read, ['id', 'timestamp', 'signature']);
        if ($id === '' || !preg_match('/^\d{1,12}$/D', $time)) {
            throw new Error('verification_failed', 'the signature headers are missing', 401);
        }
        if (abs(time() - (int) $time) > self::TOLERANCE_S) {
            throw new Error('verification_failed', 'the timestamp is too far from now', 401);
        }
        $isValid = false;
        foreach (self::secrets($secret) as $each) {
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
            throw new Error('verification_failed', 'the signature is wrong', 401);
        }
        return self::read($body, Model\FeedEvent::class);
    }

    /**
     * Reads a header from `$_SERVER`, `getallheaders()`, or the headers of a PSR-7 or Symfony request.
     * @internal
     */
    public static function header(array $headers, string $wanted): string {
        foreach ($headers as $name => $value) {
            $plain = str_replace('_', '-', strtolower((string) $name));
            if ($plain === $wanted || $plain === "http-$wanted") {
                return implode(', ', (array) $value);
            }
        }
        return '';
    }

    /**
     * Returns the secrets without empty ones, because an empty secret would accept any request.
     * @internal
     * @param string|string[] $secrets
     * @return string[]
     */
    public static function secrets($secrets): array {
        $known = array_filter((array) $secrets, fn($each) => is_string($each) && $each !== '');
        if (!$known) {
            throw new \InvalidArgumentException('the access key or secret is missing');
        }
        return $known;
    }

    /** @internal */
    public static function read(string $body, string $class): Result {
        try {
            $read = Json::decode($body, $class);
        } catch (\JsonException $error) {
            $read = null;
        }
        if (!$read instanceof Result) {
            throw new Error('verification_failed', 'the body is not a JSON object', 401);
        }
        return $read;
    }
}
