<?php

declare(strict_types=1);

namespace Balcao;

/** A refusal of the gateway, or a failure of the client. `code` distinguishes the errors. */
class Error extends \RuntimeException {
    /** @var string a code of the gateway's `/problems`, or `connection_failed`, `deadline_exceeded`,
     * `unexpected_answer`, `payment_ended`, `verification_failed` */
    public $code = '';
    /** HTTP status of the answer, or 0 without one. */
    public int $status;
    public string $title;
    public string $detail;
    /** @var list<array{pointer: string, message: string}> the wrong fields of the request */
    public array $pointers = [];
    /** Seconds of a `Retry-After` header. */
    public ?int $retryAfter;
    /** The request's id in the gateway's log. */
    public ?string $requestId;
    /** @var array<string, mixed> the whole problem document */
    public array $problem;

    /** @param array<string, mixed> $problem @param array<string, string> $headers */
    public function __construct(string $code, string $detail, int $status = 0, array $problem = [], $headers = []) {
        foreach ($problem['errors'] ?? [] as $each) {
            $this->pointers[] = ['pointer' => $each['pointer'] ?? '', 'message' => $each['message'] ?? ''];
        }
        // The message contains the first wrong field, because error trackers show only the message.
        $first = $this->pointers ? vsprintf(' (%s: %s)', array_values($this->pointers[0])) : '';
        parent::__construct("$code: $detail$first");
        [$this->code, $this->status, $this->detail, $this->problem] = [$code, $status, $detail, $problem];
        $this->title = (string) ($problem['title'] ?? '');
        $after = $headers['retry-after'] ?? '';
        $seconds = preg_match('/^\d{1,9}$/D', $after) ? (int) $after : (int) strtotime($after) - time();
        $this->retryAfter = $seconds > 0 ? $seconds : null;
        $this->requestId = $headers['x-request-id'] ?? null;
    }
}
