<?php

declare(strict_types=1);

namespace Balcao;

/** The transport of the client: curl where PHP has it, otherwise PHP's streams. */
final class Http {
    /**
     * @param array<string, string> $headers
     * @return array{status: int, headers: array<string, string>, body: string}
     * @throws ConnectionError
     */
    public static function send(string $method, string $url, array $headers, ?string $body, float $timeout): array {
        $lines = array_map(fn($name, $value) => "$name: $value", array_keys($headers), $headers);
        $send = [self::class, extension_loaded('curl') ? 'sendByCurl' : 'sendByStream'];
        [$received, $answer] = $send($method, $url, $lines, $body, $timeout);
        $result = ['status' => 0, 'headers' => [], 'body' => $answer];
        foreach ($received as $line) {
            if (preg_match('#^HTTP/\S+ (\d+)#', $line, $found)) {
                $result = ['status' => (int) $found[1], 'headers' => []] + $result;
            } elseif (strpos($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $result['headers'][strtolower($name)] = trim($value);
            }
        }
        // PHP's streams accept an answer whose connection ended too early.
        $missing = (int) ($result['headers']['content-length'] ?? 0) - strlen($answer);
        if ($missing > 0 && !isset($result['headers']['transfer-encoding'])) {
            throw new ConnectionError("the answer ended $missing bytes too early");
        }
        return $result;
    }

    private static function sendByCurl(string $method, string $url, array $lines, ?string $body, float $time): array {
        $received = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            // An empty Expect avoids a second round trip for long bodies.
            CURLOPT_HTTPHEADER => array_merge($lines, ['expect:']),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($time * 1000)),
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                $received[] = $line;
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        $answer = curl_exec($curl);
        if ($answer === false) {
            // The message of CURLE_COULDNT_CONNECT has no reason.
            $isRefused = curl_errno($curl) === 7 ? ' (connection refused, or no route)' : '';
            throw new ConnectionError(curl_error($curl) . $isRefused);
        }
        return [$received, $answer];
    }

    private static function sendByStream(string $method, string $url, array $lines, ?string $body, float $time): array {
        $options = ['method' => $method, 'header' => array_merge($lines, ['connection: close']), 'timeout' => $time];
        $options += ['ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1];
        $context = stream_context_create(['http' => $options + ($body === null ? [] : ['content' => $body])]);
        $end = microtime(true) + $time;
        error_clear_last();
        $stream = @fopen($url, 'r', false, $context);
        $answer = '';
        // The timeout of a stream is the time of one read, so each read gets the rest of the whole time.
        while ($stream && !feof($stream) && ($left = $end - microtime(true)) > 0) {
            stream_set_timeout($stream, (int) $left, (int) (fmod($left, 1) * 1e6));
            $answer .= @fread($stream, 65536);
        }
        if (!$stream || !feof($stream)) {
            throw new ConnectionError(error_get_last()['message'] ?? 'no complete answer');
        }
        return [stream_get_meta_data($stream)['wrapper_data'], $answer];
    }
}
