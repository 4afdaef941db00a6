<?php

declare(strict_types=1);

namespace Balcao;

/** A ready answer to a callback or webhook. */
final class Answer {
    public int $status;
    public string $body;

    private function __construct(int $status, string $text, ?string $id = null) {
        $this->status = $status;
        $this->body = json_encode(['Success' => $status === 200, 'Obs' => $text, 'Id' => $id]);
    }

    /**
     * Handles a callback or webhook at one address of the shop. It does not throw.
     * @param string $body the bytes as received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `$_SERVER`, or the request's headers
     * @param array<string, mixed> $handlers access_key, webhook_secret: strings, or lists during a rotation;
     *   on_callback: function (Callback $callback): ?string returns your own number of the sale;
     *   on_event: function (Model\FeedEvent $event); on_error: function (\Throwable $error), default error_log
     */
    public static function to(string $body, array $headers, array $handlers): self {
        try {
            if (!empty($handlers['webhook_secret']) && Webhook::header($headers, 'webhook-id') !== '') {
                $event = Webhook::verify($body, $headers, $handlers['webhook_secret']);
                return self::run($handlers['on_event'] ?? null, $event);
            }
            if (empty($handlers['access_key'])) {
                return new self(401, 'unauthorized');
            }
            $callback = Callback::verify($body, $headers, $handlers['access_key']);
            return $callback->isTest ? new self(200, 'test') : self::run($handlers['on_callback'] ?? null, $callback);
        } catch (\Throwable $error) {
            if ($error instanceof Error && $error->code === 'verification_failed') {
                return new self(401, 'unauthorized');
            }
            ($handlers['on_error'] ?? 'error_log')($error);
            return new self(500, 'failed');
        }
    }

    /** @param Callback|Model\FeedEvent $notification */
    private static function run(?callable $handler, $notification): self {
        // A success would end the gateway's repeats, and the shop would miss the payment.
        if (!$handler) {
            return new self(501, 'not implemented');
        }
        $id = $handler($notification);
        return new self(200, 'ok', is_scalar($id) ? (string) $id : null);
    }

    /** Sends the answer from plain PHP. */
    public function send(): void {
        http_response_code($this->status);
        header('Content-Type: application/json');
        echo $this->body;
    }
}
