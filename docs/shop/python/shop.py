"""A complete shop in one file. It sells coffee, takes payments by Balcão and ships each paid order once. Python 3.9+.

`python3 shop.py` serves it. `python3 shop.py read-feed` finishes orders whose reports were missed: run it every minute.
"""
import os
import re
import secrets
import sqlite3
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import balcao

GATEWAY = os.environ.get('GATEWAY', 'http://localhost:8080')
SHOP = os.environ.get('SHOP', 'http://localhost:3000')
client = balcao.Balcao(
    GATEWAY, os.environ.get('CLIENT_ID', 'demo'), os.environ.get('CLIENT_SECRET', 'demo-secret'), timeout=10
)


def connect():
    """Each request has its own connection, and so its own transactions."""
    return sqlite3.connect(os.environ.get('DATABASE', 'shop.sqlite'), timeout=30)


def install():
    database = connect()
    balcao.DbApiStore(database).create_table()
    database.execute(
        'CREATE TABLE IF NOT EXISTS orders (id varchar(15) PRIMARY KEY, method varchar(10) NOT NULL,'
        ' payment_id varchar(64) UNIQUE, shipped int NOT NULL DEFAULT 0)'
    )
    database.execute('CREATE TABLE IF NOT EXISTS feed (id int PRIMARY KEY, position varchar(64) NOT NULL)')
    database.execute("INSERT OR IGNORE INTO feed VALUES (1, '0')")
    database.commit()


# ---- the payment -----------------------------------------------------------------------------------------------------

METHODS = {
    'express': {'paymentType': 'GPO', 'metadata': {'paymentMethod': 'webframe', 'allowReferenceFallback': True}},
    'code': {'paymentType': 'GPO', 'metadata': {'paymentMethod': 'qrcode'}},
    'reference': {'paymentType': 'PPR', 'metadata': {'referenceType': 'Dynamic'}},
}


def create_payment(database, order, method):
    """The order's id is the idempotency key, so a retry returns the same payment."""
    page = f'{SHOP}/?order={order}'
    sale = {'amount': '1500.00', 'currency': 'AOA', 'description': 'Café da Gabela', **METHODS[method]}
    sale['metadata'] = {**sale['metadata'], 'returnUrl': page, 'cancelUrl': page}
    # The gateway chooses the digits of a payment reference.
    if method != 'reference':
        sale['reference'] = order
    payment = client.payments.create(sale, idempotency_key=order)
    database.execute('UPDATE orders SET payment_id = ? WHERE id = ?', (payment['internalId'], order))
    database.commit()


# ---- finishing once --------------------------------------------------------------------------------------------------


def finish(database, payment_id):
    """Callback, webhook, return page and feed call it. It trusts no report and reads the payment."""

    def ship(_payment, first_id):
        shipped = database.execute('UPDATE orders SET shipped = shipped + 1 WHERE payment_id = ?', (first_id,))
        # An exception undoes the transaction. The gateway repeats its report, and the order may be stored by then.
        if not shipped.rowcount:
            raise LookupError(f'no order has the payment {first_id}')

    return client.finish_once(payment_id, balcao.DbApiStore(database), ship).payment


def find_payment_id(database, order):
    found = database.execute('SELECT payment_id FROM orders WHERE id = ?', (order,)).fetchone()
    return found and found[0]


def finish_callback(database, callback):
    """A callback names the reference of the payment: the order's id for a QR code, else the digits."""
    payment_id = find_payment_id(database, callback.reference) or callback.reference
    return finish(database, payment_id)['internalId']


def finish_event(database, event):
    """An event of a webhook or of the feed. Other systems of the merchant may have paid payments too."""
    first = event['data']
    if event['status'] != 'Paid' or not first:
        return
    # A payment that replaces another one belongs to the order of the first.
    while first.get('replaces'):
        first = client.payments.get(first['replaces'])
    if database.execute('SELECT 1 FROM orders WHERE payment_id = ?', (first['internalId'],)).fetchone():
        finish(database, event['data']['internalId'])


def read_feed(database):
    """Reads the events that this server missed, and moves the position after the work."""
    (position,) = database.execute('SELECT position FROM feed').fetchone()
    for event in client.read_feed(position):
        finish_event(database, event)
        database.execute('UPDATE feed SET position = ?', (event['cursor'],))
        database.commit()


# ---- pages -----------------------------------------------------------------------------------------------------------

PAGE = """<!doctype html>
<html lang="pt">
<meta charset="utf-8">
<title>Café da Gabela</title>
<h1>Café da Gabela, 1 500 Kz</h1>
{}
</html>"""
FORM = """<form method="post" action="/">
<input type="hidden" name="order" value="{}">
<button name="method" value="express">Multicaixa Express</button>
<button name="method" value="code">Código QR</button>
<button name="method" value="reference">Por referência</button>
</form>"""
WIDGET = """<script src="{}/widget.js" defer></script>
<balcao-payment token="{}" lang="pt"></balcao-payment>
<p><a href="{}">Pagar na página do Balcão</a></p>"""
PAID = '<p role="status">Obrigado! O seu café vai a caminho.</p>'


def show_order(database, order):
    """The order's page and return page. The buyer may return before any report arrives."""
    payment_id = find_payment_id(database, order)
    if not payment_id:
        return FORM.format(escape(order or secrets.token_hex(5)))
    payment = finish(database, payment_id)
    values = (GATEWAY, payment.get('clientToken'), payment.get('checkoutUrl'))
    return PAID if payment['status'] == 'Paid' else WIDGET.format(*(escape(value or '') for value in values))


def take_order(database, order, method):
    """The form contains the order's id, so a second click is the same order and the same payment."""
    if method not in METHODS or not re.fullmatch('[0-9a-f]{10}', order):
        return False
    database.execute('INSERT OR IGNORE INTO orders (id, method) VALUES (?, ?)', (order, method))
    database.commit()
    stored, payment_id = database.execute('SELECT method, payment_id FROM orders WHERE id = ?', (order,)).fetchone()
    if not payment_id:
        create_payment(database, order, stored)
    return True


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        order = parse_qs(urlsplit(self.path).query).get('order', [''])[0]
        database = connect()
        try:
            self.answer(200, PAGE.format(show_order(database, order)))
        finally:
            database.close()

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length'] or 0))
        database = connect()
        try:
            if self.path == '/balcao':
                answer = balcao.answer_notification(
                    self.headers,
                    body,
                    access_key=os.environ['ACCESS_KEY'],
                    webhook_secret=os.environ['WEBHOOK_SECRET'],
                    on_callback=lambda callback: finish_callback(database, callback),
                    on_event=lambda event: finish_event(database, event),
                )
                return self.answer(answer.status, answer.text, {'Content-Type': 'application/json'})
            form = parse_qs(body.decode())
            order, method = (form.get(name, [''])[0] for name in ('order', 'method'))
            if take_order(database, order, method):
                return self.answer(303, '', {'Location': f'/?order={order}'})
            self.answer(400, '')
        finally:
            database.close()

    def answer(self, status, text, headers=None):
        content = text.encode()
        given = {'Content-Type': 'text/html; charset=utf-8', 'Content-Length': str(len(content)), **(headers or {})}
        self.send_response(status)
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


install()
if sys.argv[1:] == ['read-feed']:
    read_feed(connect())
else:
    ThreadingHTTPServer(('127.0.0.1', urlsplit(SHOP).port or 3000), Handler).serve_forever()
