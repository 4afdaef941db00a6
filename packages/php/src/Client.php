<?php

declare(strict_types=1);

namespace Balcao;

/** A merchant's client of the gateway. Use it only on servers, because it contains the client secret. */
final class Client extends Operations {
    private const PAGES = ['l' => 'page', 'n' => 'pageNumber', 'f' => 'after'];
    private const FINAL = ['Failed', 'Canceled', 'Expired', 'Captured'];
    private string $url;
    private string $id;
    private string $secret;
    private float $timeout;
    private TokenCache $tokens;
    /** @var callable */
    private $transport;
    /** @var object|null a PSR-3 logger */
    private $logger;
    private ?string $token = null;

    /**
     * @param array<string, mixed> $options url, client_id, client_secret;
     *   optional: timeout (seconds of a call with its repeats, default 30), tokens (TokenCache), logger (PSR-3),
     *   transport: function (string $method, string $url, array $headers, ?string $body, float $timeout): array
     *   with status, headers (lower case) and body; it throws ConnectionError
     */
    public function __construct(array $options) {
        $this->url = rtrim((string) ($options['url'] ?? ''), '/');
        if (!preg_match('#^https?://[^/]#i', $this->url)) {
            throw new \InvalidArgumentException("url must be the gateway's address, such as https://pay.example");
        }
        foreach (['client_id', 'client_secret'] as $name) {
            if (!is_string($options[$name] ?? null) || $options[$name] === '') {
                throw new \InvalidArgumentException("$name is missing");
            }
        }
        [$this->id, $this->secret] = [$options['client_id'], $options['client_secret']];
        $this->tokens = $options['tokens'] ?? new SharedTokens();
        $this->transport = $options['transport'] ?? [Http::class, 'send'];
        $this->timeout = (float) ($options['timeout'] ?? 30);
        $this->logger = $options['logger'] ?? null;
    }

    /** Yields the events after a cursor, until none is left. Store `$event->cursor` together with your work. */
    public function readFeed(string $after = '0'): \Generator {
        yield from $this->events->list(['after' => $after, 'limit' => 500]);
    }

    /** Polls until the payment, or the one that replaces it, is paid. @throws Error payment_ended, deadline_exceeded */
    public function waitUntilPaid(string $paymentId, float $timeout = 300): Model\Payment {
        $end = microtime(true) + $timeout;
        for ($pause = 1.0; ; $pause = min($pause * 1.2, 5)) {
            $left = $end - microtime(true);
            if ($left <= 0) {
                throw new Error('deadline_exceeded', "payment $paymentId is not paid yet");
            }
            $payment = $this->payments->get($paymentId, ['timeout' => $left]);
            if ($payment->status === 'Paid') {
                return $payment;
            }
            if ($payment->replacedBy) {
                $paymentId = $payment->replacedBy;
                continue;
            }
            if (in_array($payment->status, self::FINAL, true)) {
                $problem = ['payment' => $payment];
                throw new Error('payment_ended', "payment $paymentId is $payment->status", 0, $problem);
            }
            usleep((int) (min($pause, $left) * 1e6));
        }
    }

    /**
     * Runs `$work($payment)` once for each payment of the shop that is paid, whatever reports it, and how often.
     * Callback, webhook, feed, return page and cron call it. It trusts no report and reads the payment.
     * A payment that replaces another one counts as the first one, which the shop created.
     * @param string $paymentId the payment's id, or the digits of its payment reference
     * @param callable(Model\Payment, string): mixed $work gets the payment, and the id of the first one
     */
    public function finishOnce(string $paymentId, FinishedStore $store, callable $work): Finished {
        $payment = $first = $this->payments->get($paymentId);
        while ($first->replaces) {
            $first = $this->payments->get($first->replaces);
        }
        while ($payment->status !== 'Paid' && $payment->replacedBy) {
            $payment = $this->payments->get($payment->replacedBy);
        }
        $ran = $payment->status === 'Paid' && $store->once($first->internalId, fn() => $work($payment, $first->internalId));
        return new Finished(['payment' => $payment, 'ran' => $ran]);
    }

    /**
     * Sends one operation. The generated methods call it.
     * @param string $flags k: Idempotency-Key, p: Prefer, l, n and f: a list, by the parameter of its next page
     * @param string[] $ids
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array<string, mixed> $options
     * @return mixed a Result, a Listing, the bytes of a file, or null
     */
    public function call(
        string $operation,
        string $flags,
        string $class,
        array $ids,
        ?array $body,
        array $query,
        array $options
    ) {
        [$method, $path] = explode(' ', $operation);
        foreach ($ids as $id) {
            // An empty id, `.` or `..` would change the path.
            if (preg_match('/^\.{0,2}$/D', $id)) {
                throw new \InvalidArgumentException('an id is missing');
            }
            $path = preg_replace('/\{\}/', addcslashes(rawurlencode($id), '\\$'), $path, 1);
        }
        $takes = fn(string $flag) => strpos($flags, $flag) !== false;
        $prefer = $options['prefer'] ?? '';
        $key = (string) ($options['idempotency_key'] ?? '');
        $headers = array_filter([
            // An empty key counts as no key, because a repeat without a key would be a second payment.
            'idempotency-key' => $takes('k') ? ($key === '' ? bin2hex(random_bytes(16)) : $key) : '',
            'prefer' => $takes('p') ? rtrim("return=representation, $prefer", ', ') : $prefer,
            'if-match' => $options['if_match'] ?? '',
        ], 'strlen');
        $wait = preg_match('/wait=(\d+)/', $prefer, $found) ? (int) $found[1] : 0;
        $timeout = ($options['timeout'] ?? $this->timeout) + $wait;
        $isRepeatable = $method !== 'POST' || $takes('k');
        $text = $body === null ? null : Json::encode($body);
        $send = function (array $query) use ($method, $path, $headers, $text, $class, $timeout, $isRepeatable) {
            $url = $path . self::queryOf($query);
            $answer = $this->repeat(function (float $left, ?string $refused) use ($method, $url, $headers, $text) {
                $token = ['authorization' => 'Bearer ' . $this->token($refused, $left)];
                return $this->send($method, $url, $headers + $token, $text, $left);
            }, $isRepeatable, $timeout);
            return self::read($answer, $class);
        };
        $parameter = self::PAGES[substr($flags, -1)] ?? null;
        return $parameter ? new Listing($send, $query, $parameter) : $send($query);
    }

    /** @param array<string, mixed> $query */
    private static function queryOf(array $query): string {
        $named = [];
        foreach ($query as $name => $value) {
            foreach (is_array($value) ? $value : ['' => $value] as $key => $each) {
                $text = is_bool($each) ? ($each ? 'true' : 'false') : $each;
                $named[$key === '' ? $name : "$name.$key"] = $text;
            }
        }
        $text = http_build_query($named, '', '&', PHP_QUERY_RFC3986);
        return $text === '' ? '' : "?$text";
    }

    /** @return mixed */
    private static function read(array $answer, string $class) {
        $type = $answer['headers']['content-type'] ?? '';
        if (!preg_match('/json|html/', $type)) {
            return $answer['body'] === '' ? null : $answer['body'];
        }
        try {
            return Json::decode($answer['body'], $class, $answer['headers']);
        } catch (\JsonException $error) {
            // HTML comes from a proxy, not from the gateway.
            throw new Error('unexpected_answer', 'the answer is not from a gateway', $answer['status']);
        }
    }

    /** Sends one request. @throws Error if the status is not 2xx */
    private function send(string $method, string $path, array $headers, ?string $body, float $timeout): array {
        $headers += ['accept' => 'application/json'] + ($body === null ? [] : ['content-type' => 'application/json']);
        $answer = ($this->transport)($method, $this->url . $path, $headers, $body, $timeout);
        $status = $answer['status'];
        if ($status >= 200 && $status < 300) {
            return $answer;
        }
        $problem = json_decode($answer['body'], true);
        $problem = is_array($problem) ? $problem : [];
        $code = (string) ($problem['code'] ?? $problem['error'] ?? 'unexpected_answer');
        $detail = (string) ($problem['detail'] ?? $problem['error_description'] ?? "the answer was $status");
        throw new Error($code, $detail, $status, $problem, $answer['headers']);
    }

    /** Returns the access token. @param string|null $refused a token that the gateway refused */
    private function token(?string $refused, float $timeout): string {
        $this->token = null;
        $key = hash_hmac('sha256', "$this->url $this->id", $this->secret);
        return $this->token = $this->tokens->remember($key, $refused, function () use ($timeout): array {
            $form = ['grant_type' => 'client_credentials', 'client_id' => $this->id, 'client_secret' => $this->secret];
            $headers = ['content-type' => 'application/x-www-form-urlencoded'];
            $answer = $this->send('POST', '/oauth/token', $headers, http_build_query($form, '', '&'), $timeout);
            $token = Json::decode($answer['body']);
            return [$token->access_token, (int) ($token->expires_in * 0.9)];
        });
    }

    /** Runs `$attempt` until it succeeds, fails for good, or the deadline would pass. */
    private function repeat(callable $attempt, bool $isRepeatable, float $timeout): array {
        $end = microtime(true) + $timeout;
        $refused = $last = null;
        for ($nth = 0; ; $nth++) {
            try {
                return $attempt(max(0.001, $end - microtime(true)), $refused);
            } catch (Error $error) {
                // A transport may end some milliseconds before its timeout.
                if ($error->code === 'connection_failed' && microtime(true) >= $end - 0.01) {
                    $cause = $last ?? $error;
                    throw new Error('deadline_exceeded', "the deadline passed after {$cause->getMessage()}");
                }
                $last = $error;
                // The token in the cache may be older than the gateway's keys. A new one is requested once.
                $isExpired = $error->status === 401 && $this->token !== null && $refused === null;
                $pause = $isExpired ? 0 : min(0.2 * 2 ** $nth, 8) * (0.5 + random_int(0, 500) / 1000);
                $pause = max($pause, ($error->retryAfter ?? 0) * (1 + random_int(0, 200) / 1000));
                $mayRepeat = $isExpired || $error->status === 429 || ($isRepeatable && (
                    $error->code === 'connection_failed'
                    || $error->code === 'idempotency_in_progress'
                    || $error->status >= 500
                ));
                if (!$mayRepeat || microtime(true) + $pause >= $end) {
                    throw $error;
                }
                $refused = $isExpired ? $this->token : $refused;
                if ($this->logger) {
                    $context = ['code' => $error->code, 'exception' => $error];
                    $this->logger->warning('Balcao: repeating after {code}', $context);
                }
                usleep((int) ($pause * 1e6));
            }
        }
    }
}
