<?php

// A complete shop in one file of plain PHP. It sells coffee, takes payments by Balcão and ships each paid order once.
// `php shop.php install` creates its tables, `php shop.php cron` runs every minute.
declare(strict_types=1);

require __DIR__ . '/balcao/autoload.php';

$env = getenv() + [
    'GATEWAY' => 'http://localhost:8080',
    'CLIENT_ID' => 'demo',
    'CLIENT_SECRET' => 'demo-secret',
    'SHOP' => 'http://localhost:3000',
    'DATABASE' => 'mysql:host=127.0.0.1;dbname=shop',
    'DATABASE_USER' => 'root',
    'DATABASE_PASSWORD' => '',
];
$pdo = new PDO($env['DATABASE'], $env['DATABASE_USER'], $env['DATABASE_PASSWORD']);
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$balcao = new Balcao\Client([
    'url' => $env['GATEWAY'],
    'client_id' => $env['CLIENT_ID'],
    'client_secret' => $env['CLIENT_SECRET'],
    'timeout' => 10,
]);
$store = new Balcao\PdoStore($pdo);

function query(string $sql, string ...$values): PDOStatement
{
    $statement = $GLOBALS['pdo']->prepare($sql);
    $statement->execute($values);
    return $statement;
}

// ---- the payment ---------------------------------------------------------------------------------------------------

const WEBFRAME = ['paymentMethod' => 'webframe', 'allowReferenceFallback' => true];
const METHODS = [
    'express' => ['paymentType' => 'GPO', 'metadata' => WEBFRAME],
    'code' => ['paymentType' => 'GPO', 'metadata' => ['paymentMethod' => 'qrcode']],
    'reference' => ['paymentType' => 'PPR', 'metadata' => ['referenceType' => 'Dynamic']],
];

/** Creates the order's payment. The order's id is the idempotency key, so a retry returns the same payment. */
function createPayment(string $order, string $method): void
{
    global $balcao, $env;
    $page = "{$env['SHOP']}/?order=$order";
    $body = ['amount' => '1500.00', 'currency' => 'AOA', 'description' => 'Café da Gabela'] + METHODS[$method];
    // The gateway chooses the digits of a payment reference.
    $body += $method === 'reference' ? [] : ['reference' => $order];
    $body['metadata'] += ['returnUrl' => $page, 'cancelUrl' => $page];
    $payment = $balcao->payments->create($body, ['idempotency_key' => $order]);
    query('UPDATE orders SET payment_id = ? WHERE id = ?', $payment->internalId, $order);
}

// ---- finishing once ------------------------------------------------------------------------------------------------

/** Callback, webhook, return page and cron call it. It trusts no report and reads the payment from the gateway. */
$finish = fn(string $paymentId): Balcao\Model\Payment => $balcao->finishOnce($paymentId, $store, function ($_, $first) {
    $isOurs = query('UPDATE orders SET shipped = shipped + 1 WHERE payment_id = ?', $first)->rowCount();
    // Undoes the transaction. The gateway repeats its report, and finds the order if the shop has stored it by then.
    if (!$isOurs) {
        throw new RuntimeException("no order has the payment $first");
    }
})->payment;

/** An event of a webhook or of the feed. Other systems of the merchant may have paid payments too. */
$finishEvent = function (Balcao\Model\FeedEvent $event) use ($balcao, $finish): void {
    $first = $event->data;
    if ($event->status !== 'Paid' || !$first) {
        return;
    }
    // A payment that replaces another one belongs to the order of the first.
    while ($first->replaces) {
        $first = $balcao->payments->get($first->replaces);
    }
    if (query('SELECT 1 FROM orders WHERE payment_id = ?', $first->internalId)->fetchColumn()) {
        $finish($event->data->internalId);
    }
};

/** A callback names the reference of the payment: the order's id for a QR code, else the digits. */
$finishCallback = function (Balcao\Callback $callback) use ($finish): string {
    $own = query('SELECT payment_id FROM orders WHERE id = ?', $callback->reference)->fetchColumn();
    return $finish($own ?: $callback->reference)->internalId;
};

// ---- commands and pages --------------------------------------------------------------------------------------------

if (PHP_SAPI === 'cli' && $argv[1] === 'install') {
    $store->createTable();
    query('CREATE TABLE IF NOT EXISTS orders (id varchar(15) PRIMARY KEY, method varchar(10) NOT NULL,
        payment_id varchar(36) UNIQUE, shipped int NOT NULL DEFAULT 0)');
    query('CREATE TABLE IF NOT EXISTS feed (id int PRIMARY KEY, position varchar(64) NOT NULL)');
    query("INSERT INTO feed SELECT 1, '0' FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT 1 FROM feed)");
    exit;
}
if (PHP_SAPI === 'cli') {
    // Reads the events that this server missed, and moves the cursor after the work.
    foreach ($balcao->readFeed(query('SELECT position FROM feed')->fetchColumn()) as $event) {
        $finishEvent($event);
        query('UPDATE feed SET position = ?', $event->cursor);
    }
    exit;
}
if ($_SERVER['REQUEST_URI'] === '/balcao') {
    Balcao\Answer::to(file_get_contents('php://input'), $_SERVER, [
        'access_key' => $env['ACCESS_KEY'],
        'webhook_secret' => $env['WEBHOOK_SECRET'],
        'on_callback' => $finishCallback,
        'on_event' => $finishEvent,
    ])->send();
    exit;
}
$id = (string) ($_REQUEST['order'] ?? '');
if (isset(METHODS[$_POST['method'] ?? '']) && preg_match('/^[0-9a-f]{10}$/', $id)) {
    // The form contains the order's id, so a second click is the same order and the same payment.
    query('INSERT IGNORE INTO orders (id, method) VALUES (?, ?)', $id, $_POST['method']);
    $order = query('SELECT method, payment_id FROM orders WHERE id = ?', $id)->fetch();
    if ($order['payment_id'] === null) {
        createPayment($id, $order['method']);
    }
    header("Location: /?order=$id", true, 303);
    exit;
}
// The buyer may return before any report arrives, therefore the page calls the same function.
$paymentId = query('SELECT payment_id FROM orders WHERE id = ?', $id)->fetchColumn();
$payment = $paymentId ? $finish($paymentId) : null;
$id = $id === '' ? bin2hex(random_bytes(5)) : htmlspecialchars($id);
?>
<!doctype html>
<html lang="pt">
<meta charset="utf-8">
<title>Café da Gabela</title>
<script src="<?= $env['GATEWAY'] ?>/widget.js" defer></script>
<h1>Café da Gabela, 1 500 Kz</h1>
<?php if ($payment && $payment->status === 'Paid') { ?>
<p role="status">Obrigado! O seu café vai a caminho.</p>
<?php } elseif ($payment) { ?>
<balcao-payment token="<?= $payment->clientToken ?>" lang="pt"></balcao-payment>
<p><a href="<?= $payment->checkoutUrl ?>">Pagar na página do Balcão</a></p>
<?php } else { ?>
<form method="post">
<input type="hidden" name="order" value="<?= $id ?>">
<button name="method" value="express">Multicaixa Express</button>
<button name="method" value="code">Código QR</button>
<button name="method" value="reference">Por referência</button>
</form>
<?php } ?>
