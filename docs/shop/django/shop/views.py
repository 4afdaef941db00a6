import re
import secrets

from balcao import answer_notification
from django.conf import settings
from django.http import HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from . import payments
from .models import Order


def show_form(request):
    return render(request, 'shop/order.html', {'order': secrets.token_hex(5)})


@require_POST
def take_order(request):
    """The form contains the order's id, so a second click is the same order and the same payment."""
    order_id, method = request.POST.get('order', ''), request.POST.get('method')
    if method not in payments.METHODS or not re.fullmatch('[0-9a-f]{10}', order_id):
        return HttpResponseBadRequest()
    order, _ = Order.objects.get_or_create(pk=order_id, defaults={'method': method})
    page = reverse('order', args=[order_id])
    if not order.payment_id:
        payments.create_payment(order, settings.SHOP_URL + page)
    return redirect(page)


def show_order(request, order_id):
    """The order's page and return page. The buyer may return before any report arrives."""
    order = get_object_or_404(Order, pk=order_id)
    payment = payments.finish(order.payment_id) if order.payment_id else None
    content = {'order': order.pk, 'payment': payment, 'gateway': settings.BALCAO_URL}
    return render(request, 'shop/order.html', content)


@csrf_exempt
@require_POST
def receive(request):
    """Receives the callbacks and webhooks of the gateway."""
    answer = answer_notification(
        request.headers,
        request.body,
        access_key=settings.BALCAO_ACCESS_KEY,
        webhook_secret=settings.BALCAO_WEBHOOK_SECRET,
        on_callback=payments.finish_callback,
        on_event=payments.finish_event,
    )
    return JsonResponse(answer.body, status=answer.status)
