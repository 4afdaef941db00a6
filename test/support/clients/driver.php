<?php

// Drives the PHP client: reads a question a line from standard input, and writes an answer a line.
declare(strict_types=1);

require dirname(__DIR__, 3) . '/packages/php/src/autoload.php';

// A notice of PHP fails the case, also a deprecation of a later version.
error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    if (error_reporting() & $level) {
        throw new ErrorException($message, 0, $level, $file, $line);
    }
    return false;
});

/** Keeps finished payments as files of a folder. Several processes share it. */
final class FolderStore implements Balcao\FinishedStore
{
    private string $folder;

    public function __construct(string $folder)
    {
        $this->folder = $folder;
    }

    public function once(string $key, callable $work): bool
    {
        $file = fopen("$this->folder/" . rawurlencode($key), 'c+');
        flock($file, LOCK_EX);
        $isFirst = stream_get_contents($file) === '';
        if ($isFirst) {
            $work();
            fwrite($file, 'finished');
        }
        fclose($file);
        return $isFirst;
    }
}

/** @return mixed */
function answer(object $question)
{
    global $balcao;
    $headers = (array) ($question->headers ?? []);
    switch ($question->do) {
        case 'new':
            $folder = getenv('TOKENS') ?: sys_get_temp_dir() . '/balcao-driver-' . bin2hex(random_bytes(8));
            if (!is_dir($folder)) {
                mkdir($folder, 0700);
            }
            if (!getenv('TOKENS')) {
                register_shutdown_function(fn() => array_map('unlink', glob("$folder/*")) && rmdir($folder));
            }
            $balcao = new Balcao\Client([
                'url' => $question->url,
                'client_id' => $question->clientId,
                'client_secret' => $question->clientSecret,
                'timeout' => $question->timeout ?? 30,
                'tokens' => new Balcao\SharedTokens($folder),
            ]);
            return true;
        case 'call':
            $result = call($question);
            return $result instanceof Balcao\Listing ? $result->page() : $result;
        case 'all':
            return iterator_to_array(call($question), false);
        case 'waitUntilPaid':
            return $balcao->waitUntilPaid($question->paymentId, $question->timeout);
        case 'verifyCallback':
            $callback = Balcao\Callback::verify($question->body, $headers, $question->accessKey)->toArray();
            return array_diff_key($callback, ['body' => 1]);
        case 'verifyWebhook':
            return Balcao\Webhook::verify($question->body, $headers, $question->secret);
        case 'answerCallback':
            $handler = function () use ($question) {
                if ($question->handler === 'throws') {
                    throw new RuntimeException('the shop failed');
                }
                return $question->handler->returns;
            };
            $hasHandler = $question->handler !== 'missing';
            $answer = Balcao\Answer::to($question->body, $headers, [
                'access_key' => $question->accessKey,
                'webhook_secret' => $question->webhookSecret ?? null,
                'on_callback' => $hasHandler ? $handler : null,
                'on_event' => $hasHandler ? $handler : null,
                'on_error' => fn() => null,
            ]);
            return ['status' => $answer->status, 'body' => json_decode($answer->body)];
        case 'readFeed':
            return iterator_to_array($balcao->readFeed($question->after), false);
        case 'finishOnce':
            return $balcao->finishOnce($question->paymentId, new FolderStore($question->store), function ($payment) use (
                $question
            ) {
                file_put_contents($question->work, "$payment->internalId\n", FILE_APPEND);
                if ($question->throws ?? false) {
                    throw new RuntimeException('the work failed');
                }
            });
    }
}

/** @return mixed */
function call(object $question)
{
    [$group, $name] = explode('.', $question->operation);
    $given = array_map(fn($each) => is_object($each) ? json_decode(json_encode($each), true) : $each, $question->arguments);
    $options = $question->options ?? (object) [];
    $known = ['idempotency_key' => $options->idempotencyKey ?? null, 'if_match' => $options->ifMatch ?? null];
    $known['prefer'] = isset($options->waitS) ? "wait=$options->waitS" : null;
    // An operation may have an optional body or query, and the options are the last parameter.
    $count = (new ReflectionMethod($GLOBALS['balcao']->$group, $name))->getNumberOfParameters();
    return $GLOBALS['balcao']->$group->$name(...array_pad($given, $count - 1, []), ...[array_filter($known, fn($each) => $each !== null)]);
}

/** @return array<string, mixed> */
function describe(Throwable $error): array
{
    $isKnown = $error instanceof Balcao\Error;
    return [
        'code' => $isKnown ? $error->code : '',
        'status' => $isKnown ? $error->status : 0,
        'message' => $error->getMessage(),
        'pointers' => $isKnown ? $error->pointers : [],
    ];
}

// In WebAssembly each run of PHP gets its questions by the environment.
$questions = fopen(getenv('QUESTIONS') ? 'data:text/plain;base64,' . getenv('QUESTIONS') : 'php://stdin', 'r');
while (($line = fgets($questions)) !== false) {
    $question = json_decode($line);
    $answer = ['id' => $question->id];
    try {
        $result = answer($question);
        $answer['result'] = is_string($result) ? base64_encode($result) : $result;
        $answer += $result instanceof Balcao\Result ? ['etag' => $result->header('etag')] : [];
    } catch (Throwable $error) {
        $answer['error'] = describe($error);
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}
