<?php

declare(strict_types=1);

namespace Balcao;

/** Shared parts of `Callback` and `Webhook`: reads headers and checks secrets. */
final class Proof
{
    /**
     * Reads a header from `$_SERVER`, `getallheaders()`, or the headers of a PSR-7 or Symfony request.
     * @param array<string, mixed> $headers
     */
    public static function header(array $headers, string $wanted): string
    {
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
     * @param string|string[] $secrets
     * @return string[]
     */
    public static function secrets($secrets): array
    {
        $known = array_filter((array) $secrets, fn($each) => is_string($each) && $each !== '');
        if (!$known) {
            throw new \InvalidArgumentException('the access key or secret is missing');
        }
        return $known;
    }

    public static function refuse(string $why): Error
    {
        return new Error('verification_failed', $why, 401);
    }

    public static function read(string $body, string $class): Result
    {
        try {
            $read = Json::decode($body, $class);
        } catch (\JsonException $error) {
            throw self::refuse('the body is not valid JSON');
        }
        if (!$read instanceof Result) {
            throw self::refuse('the body is not an object');
        }
        return $read;
    }
}
