<?php

declare(strict_types=1);

namespace Balcao;

/** The transport of the client: curl where PHP has it, otherwise PHP's streams. */
final class Http
{
    /**
     * @param array<string, string> $headers
     * @return array{status: int, headers: array<string, string>, body: string}
     * @throws ConnectionError
     */
    public static function send(string $method, string $url, array $headers, ?string $body, float $timeout): array
    {
        $lines = array_map(fn($name, $value) => "$name: $value", array_keys($headers), $headers);
        [$received, $answer] = extension_loaded('curl')
            ? self::sendByCurl($method, $url, $lines, $body, $timeout)
            : self::sendByStream($method, $url, $lines, $body, $timeout);
        $status = 0;
        $headers = [];
        foreach ($received as $line) {
            if (preg_match('#^HTTP/\S+ (\d+)#', $line, $found)) {
                [$status, $headers] = [(int) $found[1], []];
            } elseif (strpos($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }
        return ['status' => $status, 'headers' => $headers, 'body' => $answer];
    }

    private static function sendByCurl(string $method, string $url, array $lines, ?string $body, float $timeout): array
    {
        $received = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            // An empty Expect avoids a second round trip for long bodies.
            CURLOPT_HTTPHEADER => array_merge($lines, ['expect:']),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeout * 1000)),
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                $received[] = $line;
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        $answer = curl_exec($curl);
        if ($answer === false) {
            throw new ConnectionError(curl_error($curl));
        }
        return [$received, $answer];
    }

    private static function sendByStream(string $method, string $url, array $lines, ?string $body, float $time): array
    {
        $options = ['method' => $method, 'header' => $lines, 'timeout' => $time, 'follow_location' => 0];
        $options += ['ignore_errors' => true, 'protocol_version' => 1.1] + ($body === null ? [] : ['content' => $body]);
        $options['header'][] = 'connection: close';
        $stream = @fopen($url, 'r', false, stream_context_create(['http' => $options]));
        $answer = $stream ? stream_get_contents($stream) : false;
        $meta = $stream ? stream_get_meta_data($stream) : [];
        if ($answer === false || $meta['timed_out']) {
            throw new ConnectionError(error_get_last()['message'] ?? 'no complete answer');
        }
        return [$meta['wrapper_data'], $answer];
    }
}
