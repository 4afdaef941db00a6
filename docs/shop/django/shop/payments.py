"""The payments of the shop's orders."""
from balcao import Balcao
from balcao.django import DjangoStore
from django.conf import settings
from django.db.models import F

from .models import Feed, FinishedPayment, Order

client = Balcao(settings.BALCAO_URL, settings.BALCAO_CLIENT_ID, settings.BALCAO_CLIENT_SECRET)
store = DjangoStore(FinishedPayment)

METHODS = {
    'express': {'paymentType': 'GPO', 'metadata': {'paymentMethod': 'webframe', 'allowReferenceFallback': True}},
    'code': {'paymentType': 'GPO', 'metadata': {'paymentMethod': 'qrcode'}},
    'reference': {'paymentType': 'PPR', 'metadata': {'referenceType': 'Dynamic'}},
}


def create_payment(order, page):
    """The order's id is the idempotency key, so a retry returns the same payment."""
    method = METHODS[order.method]
    sale = {'amount': '1500.00', 'currency': 'AOA', 'description': 'Café da Gabela', **method}
    sale['metadata'] = {**method['metadata'], 'returnUrl': page, 'cancelUrl': page}
    # The gateway chooses the digits of a payment reference.
    if order.method != 'reference':
        sale['reference'] = order.id
    payment = client.payments.create(sale, idempotency_key=order.id)
    Order.objects.filter(pk=order.pk).update(payment_id=payment['internalId'])


def finish(payment_id):
    """Callback, webhook, return page and feed call it. It trusts no report and reads the payment."""
    return client.finish_once(payment_id, store, ship).payment


def ship(payment, first_id):
    # An exception undoes the transaction. The gateway repeats its report, and the order may be stored by then.
    if not Order.objects.filter(payment_id=first_id).update(shipped=F('shipped') + 1):
        raise LookupError(f'no order has the payment {first_id}')


def finish_callback(callback):
    """A callback names the reference of the payment: the order's id for a QR code, else the digits."""
    order = Order.objects.filter(pk=callback.reference).first()
    return finish(order.payment_id if order and order.payment_id else callback.reference)['internalId']


def finish_event(event):
    """An event of a webhook or of the feed. Other systems of the merchant may have paid payments too."""
    first = event['data']
    if event['status'] != 'Paid' or not first:
        return
    # A payment that replaces another one belongs to the order of the first.
    while first.get('replaces'):
        first = client.payments.get(first['replaces'])
    if Order.objects.filter(payment_id=first['internalId']).exists():
        finish(event['data']['internalId'])


def read_feed():
    """Reads the events that this server missed, and moves the cursor after the work."""
    feed, _ = Feed.objects.get_or_create(pk=1)
    for event in client.read_feed(feed.cursor):
        finish_event(event)
        Feed.objects.filter(pk=1).update(cursor=event['cursor'])
